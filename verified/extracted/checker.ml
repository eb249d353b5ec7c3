
type nat =
| O
| S of nat

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _ :: l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n0 m =
   match n0 with
   | O -> m
   | S p -> S (add p m)
end
include Coq__1

type positive =
| XI of positive
| XO of positive
| XH

type n =
| N0
| Npos of positive

type z =
| Z0
| Zpos of positive
| Zneg of positive

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module Nat =
 struct
  (** val pred : nat -> nat **)

  let pred n0 = match n0 with
  | O -> n0
  | S u -> u

  (** val eqb : nat -> nat -> bool **)

  let rec eqb n0 m =
    match n0 with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n' -> (match m with
               | O -> false
               | S m' -> eqb n' m')

  (** val leb : nat -> nat -> bool **)

  let rec leb n0 m =
    match n0 with
    | O -> true
    | S n' -> (match m with
               | O -> false
               | S m' -> leb n' m')

  (** val ltb : nat -> nat -> bool **)

  let ltb n0 m =
    leb (S n0) m

  (** val compare : nat -> nat -> comparison **)

  let rec compare n0 m =
    match n0 with
    | O -> (match m with
            | O -> Eq
            | S _ -> Lt)
    | S n' -> (match m with
               | O -> Gt
               | S m' -> compare n' m')

  (** val divmod : nat -> nat -> nat -> nat -> nat * nat **)

  let rec divmod x y q u =
    match x with
    | O -> (q, u)
    | S x' ->
      (match u with
       | O -> divmod x' y (S q) y
       | S u' -> divmod x' y q u')

  (** val div : nat -> nat -> nat **)

  let div x y = match y with
  | O -> y
  | S y' -> Stdlib.fst (divmod x y' O y')

  (** val log2_iter : nat -> nat -> nat -> nat -> nat **)

  let rec log2_iter k p q r =
    match k with
    | O -> p
    | S k' ->
      (match r with
       | O -> log2_iter k' (S p) (S q) q
       | S r' -> log2_iter k' p (S q) r')

  (** val log2 : nat -> nat **)

  let log2 n0 =
    log2_iter (pred n0) O (S O) O
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of positive
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : positive -> positive **)

  let rec succ = function
  | XI p -> XO (succ p)
  | XO p -> XI p
  | XH -> XO XH

  (** val add : positive -> positive -> positive **)

  let rec add x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XO p ->
      (match y with
       | XI q -> XI (add p q)
       | XO q -> XO (add p q)
       | XH -> XI p)
    | XH -> (match y with
             | XI q -> XO (succ q)
             | XO q -> XI q
             | XH -> XO XH)

  (** val add_carry : positive -> positive -> positive **)

  and add_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XI (add_carry p q)
       | XO q -> XO (add_carry p q)
       | XH -> XI (succ p))
    | XO p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XH ->
      (match y with
       | XI q -> XI (succ q)
       | XO q -> XO (succ q)
       | XH -> XI XH)

  (** val pred_double : positive -> positive **)

  let rec pred_double = function
  | XI p -> XI (XO p)
  | XO p -> XI (pred_double p)
  | XH -> XH

  (** val pred_N : positive -> n **)

  let pred_N = function
  | XI p -> Npos (XO p)
  | XO p -> Npos (pred_double p)
  | XH -> N0

  type mask = Pos.mask =
  | IsNul
  | IsPos of positive
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos XH
  | IsPos p -> IsPos (XI p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos (XO p)
  | x0 -> x0

  (** val double_pred_mask : positive -> mask **)

  let double_pred_mask = function
  | XI p -> IsPos (XO (XO p))
  | XO p -> IsPos (XO (pred_double p))
  | XH -> IsNul

  (** val sub_mask : positive -> positive -> mask **)

  let rec sub_mask x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double_mask (sub_mask p q)
       | XO q -> succ_double_mask (sub_mask p q)
       | XH -> IsPos (XO p))
    | XO p ->
      (match y with
       | XI q -> succ_double_mask (sub_mask_carry p q)
       | XO q -> double_mask (sub_mask p q)
       | XH -> IsPos (pred_double p))
    | XH -> (match y with
             | XH -> IsNul
             | _ -> IsNeg)

  (** val sub_mask_carry : positive -> positive -> mask **)

  and sub_mask_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> succ_double_mask (sub_mask_carry p q)
       | XO q -> double_mask (sub_mask p q)
       | XH -> IsPos (pred_double p))
    | XO p ->
      (match y with
       | XI q -> double_mask (sub_mask_carry p q)
       | XO q -> succ_double_mask (sub_mask_carry p q)
       | XH -> double_pred_mask p)
    | XH -> IsNeg

  (** val sub : positive -> positive -> positive **)

  let sub x y =
    match sub_mask x y with
    | IsPos z0 -> z0
    | _ -> XH

  (** val mul : positive -> positive -> positive **)

  let rec mul x y =
    match x with
    | XI p -> add y (XO (mul p y))
    | XO p -> XO (mul p y)
    | XH -> y

  (** val size_nat : positive -> nat **)

  let rec size_nat = function
  | XI p0 -> S (size_nat p0)
  | XO p0 -> S (size_nat p0)
  | XH -> S O

  (** val compare_cont : comparison -> positive -> positive -> comparison **)

  let rec compare_cont r x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> compare_cont r p q
       | XO q -> compare_cont Gt p q
       | XH -> Gt)
    | XO p ->
      (match y with
       | XI q -> compare_cont Lt p q
       | XO q -> compare_cont r p q
       | XH -> Gt)
    | XH -> (match y with
             | XH -> r
             | _ -> Lt)

  (** val compare : positive -> positive -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : positive -> positive -> bool **)

  let rec eqb p q =
    match p with
    | XI p0 -> (match q with
                | XI q0 -> eqb p0 q0
                | _ -> false)
    | XO p0 -> (match q with
                | XO q0 -> eqb p0 q0
                | _ -> false)
    | XH -> (match q with
             | XH -> true
             | _ -> false)

  (** val gcdn : nat -> positive -> positive -> positive **)

  let rec gcdn n0 a b =
    match n0 with
    | O -> XH
    | S n1 ->
      (match a with
       | XI a' ->
         (match b with
          | XI b' ->
            (match compare a' b' with
             | Eq -> a
             | Lt -> gcdn n1 (sub b' a') a
             | Gt -> gcdn n1 (sub a' b') b)
          | XO b0 -> gcdn n1 a b0
          | XH -> XH)
       | XO a0 ->
         (match b with
          | XI _ -> gcdn n1 a0 b
          | XO b0 -> XO (gcdn n1 a0 b0)
          | XH -> XH)
       | XH -> XH)

  (** val gcd : positive -> positive -> positive **)

  let gcd a b =
    gcdn (Coq__1.add (size_nat a) (size_nat b)) a b

  (** val testbit : positive -> n -> bool **)

  let rec testbit p n0 =
    match p with
    | XI p0 -> (match n0 with
                | N0 -> true
                | Npos n1 -> testbit p0 (pred_N n1))
    | XO p0 -> (match n0 with
                | N0 -> false
                | Npos n1 -> testbit p0 (pred_N n1))
    | XH -> (match n0 with
             | N0 -> true
             | Npos _ -> false)

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> positive -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    match p with
    | XI p0 -> op a (iter_op op p0 (op a a))
    | XO p0 -> iter_op op p0 (op a a)
    | XH -> a

  (** val to_nat : positive -> nat **)

  let to_nat x =
    iter_op Coq__1.add x (S O)

  (** val of_succ_nat : nat -> positive **)

  let rec of_succ_nat = function
  | O -> XH
  | S x -> succ (of_succ_nat x)
 end

module N =
 struct
  (** val testbit : n -> n -> bool **)

  let testbit a n0 =
    match a with
    | N0 -> false
    | Npos p -> Coq_Pos.testbit p n0
 end

module Z =
 struct
  (** val double : z -> z **)

  let double = function
  | Z0 -> Z0
  | Zpos p -> Zpos (XO p)
  | Zneg p -> Zneg (XO p)

  (** val succ_double : z -> z **)

  let succ_double = function
  | Z0 -> Zpos XH
  | Zpos p -> Zpos (XI p)
  | Zneg p -> Zneg (Coq_Pos.pred_double p)

  (** val pred_double : z -> z **)

  let pred_double = function
  | Z0 -> Zneg XH
  | Zpos p -> Zpos (Coq_Pos.pred_double p)
  | Zneg p -> Zneg (XI p)

  (** val pos_sub : positive -> positive -> z **)

  let rec pos_sub x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double (pos_sub p q)
       | XO q -> succ_double (pos_sub p q)
       | XH -> Zpos (XO p))
    | XO p ->
      (match y with
       | XI q -> pred_double (pos_sub p q)
       | XO q -> double (pos_sub p q)
       | XH -> Zpos (Coq_Pos.pred_double p))
    | XH ->
      (match y with
       | XI q -> Zneg (XO q)
       | XO q -> Zneg (Coq_Pos.pred_double q)
       | XH -> Z0)

  (** val add : z -> z -> z **)

  let add x y =
    match x with
    | Z0 -> y
    | Zpos x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> Zpos (Coq_Pos.add x' y')
       | Zneg y' -> pos_sub x' y')
    | Zneg x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> pos_sub y' x'
       | Zneg y' -> Zneg (Coq_Pos.add x' y'))

  (** val opp : z -> z **)

  let opp = function
  | Z0 -> Z0
  | Zpos x0 -> Zneg x0
  | Zneg x0 -> Zpos x0

  (** val succ : z -> z **)

  let succ x =
    add x (Zpos XH)

  (** val sub : z -> z -> z **)

  let sub m n0 =
    add m (opp n0)

  (** val mul : z -> z -> z **)

  let mul x y =
    match x with
    | Z0 -> Z0
    | Zpos x' ->
      (match y with
       | Z0 -> Z0
       | Zpos y' -> Zpos (Coq_Pos.mul x' y')
       | Zneg y' -> Zneg (Coq_Pos.mul x' y'))
    | Zneg x' ->
      (match y with
       | Z0 -> Z0
       | Zpos y' -> Zneg (Coq_Pos.mul x' y')
       | Zneg y' -> Zpos (Coq_Pos.mul x' y'))

  (** val compare : z -> z -> comparison **)

  let compare x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> Eq
             | Zpos _ -> Lt
             | Zneg _ -> Gt)
    | Zpos x' -> (match y with
                  | Zpos y' -> Coq_Pos.compare x' y'
                  | _ -> Gt)
    | Zneg x' ->
      (match y with
       | Zneg y' -> compOpp (Coq_Pos.compare x' y')
       | _ -> Lt)

  (** val leb : z -> z -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : z -> z -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val eqb : z -> z -> bool **)

  let eqb x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> true
             | _ -> false)
    | Zpos p -> (match y with
                 | Zpos q -> Coq_Pos.eqb p q
                 | _ -> false)
    | Zneg p -> (match y with
                 | Zneg q -> Coq_Pos.eqb p q
                 | _ -> false)

  (** val max : z -> z -> z **)

  let max n0 m =
    match compare n0 m with
    | Lt -> m
    | _ -> n0

  (** val min : z -> z -> z **)

  let min n0 m =
    match compare n0 m with
    | Gt -> m
    | _ -> n0

  (** val abs : z -> z **)

  let abs = function
  | Zneg p -> Zpos p
  | x -> x

  (** val to_nat : z -> nat **)

  let to_nat = function
  | Zpos p -> Coq_Pos.to_nat p
  | _ -> O

  (** val of_nat : nat -> z **)

  let of_nat = function
  | O -> Z0
  | S n1 -> Zpos (Coq_Pos.of_succ_nat n1)

  (** val to_pos : z -> positive **)

  let to_pos = function
  | Zpos p -> p
  | _ -> XH

  (** val pos_div_eucl : positive -> z -> z * z **)

  let rec pos_div_eucl a b =
    match a with
    | XI a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' = add (mul (Zpos (XO XH)) r) (Zpos XH) in
      if ltb r' b
      then ((mul (Zpos (XO XH)) q), r')
      else ((add (mul (Zpos (XO XH)) q) (Zpos XH)), (sub r' b))
    | XO a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' = mul (Zpos (XO XH)) r in
      if ltb r' b
      then ((mul (Zpos (XO XH)) q), r')
      else ((add (mul (Zpos (XO XH)) q) (Zpos XH)), (sub r' b))
    | XH -> if leb (Zpos (XO XH)) b then (Z0, (Zpos XH)) else ((Zpos XH), Z0)

  (** val div_eucl : z -> z -> z * z **)

  let div_eucl a b =
    match a with
    | Z0 -> (Z0, Z0)
    | Zpos a' ->
      (match b with
       | Z0 -> (Z0, a)
       | Zpos _ -> pos_div_eucl a' b
       | Zneg b' ->
         let (q, r) = pos_div_eucl a' (Zpos b') in
         (match r with
          | Z0 -> ((opp q), Z0)
          | _ -> ((opp (add q (Zpos XH))), (add b r))))
    | Zneg a' ->
      (match b with
       | Z0 -> (Z0, a)
       | Zpos _ ->
         let (q, r) = pos_div_eucl a' b in
         (match r with
          | Z0 -> ((opp q), Z0)
          | _ -> ((opp (add q (Zpos XH))), (sub b r)))
       | Zneg b' -> let (q, r) = pos_div_eucl a' (Zpos b') in (q, (opp r)))

  (** val div : z -> z -> z **)

  let div a b =
    let (q, _) = div_eucl a b in q

  (** val modulo : z -> z -> z **)

  let modulo a b =
    let (_, r) = div_eucl a b in r

  (** val odd : z -> bool **)

  let odd = function
  | Z0 -> false
  | Zpos p -> (match p with
               | XO _ -> false
               | _ -> true)
  | Zneg p -> (match p with
               | XO _ -> false
               | _ -> true)

  (** val gcd : z -> z -> z **)

  let gcd a b =
    match a with
    | Z0 -> abs b
    | Zpos a0 ->
      (match b with
       | Z0 -> abs a
       | Zpos b0 -> Zpos (Coq_Pos.gcd a0 b0)
       | Zneg b0 -> Zpos (Coq_Pos.gcd a0 b0))
    | Zneg a0 ->
      (match b with
       | Z0 -> abs a
       | Zpos b0 -> Zpos (Coq_Pos.gcd a0 b0)
       | Zneg b0 -> Zpos (Coq_Pos.gcd a0 b0))

  (** val testbit : z -> z -> bool **)

  let testbit a = function
  | Z0 -> odd a
  | Zpos p ->
    (match a with
     | Z0 -> false
     | Zpos a0 -> Coq_Pos.testbit a0 (Npos p)
     | Zneg a0 -> Stdlib.not (N.testbit (Coq_Pos.pred_N a0) (Npos p)))
  | Zneg _ -> false

  (** val lcm : z -> z -> z **)

  let lcm a b =
    abs (mul a (div b (gcd a b)))
 end

(** val hd : 'a1 -> 'a1 list -> 'a1 **)

let hd default = function
| [] -> default
| x :: _ -> x

(** val tl : 'a1 list -> 'a1 list **)

let tl = function
| [] -> []
| _ :: m -> m

(** val nth : nat -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n0 l default =
  match n0 with
  | O -> (match l with
          | [] -> default
          | x :: _ -> x)
  | S m -> (match l with
            | [] -> default
            | _ :: t -> nth m t default)

(** val nth_error : 'a1 list -> nat -> 'a1 option **)

let rec nth_error l = function
| O -> (match l with
        | [] -> None
        | x :: _ -> Some x)
| S n1 -> (match l with
           | [] -> None
           | _ :: l0 -> nth_error l0 n1)

(** val rev : 'a1 list -> 'a1 list **)

let rec rev = function
| [] -> []
| x :: l' -> app (rev l') (x :: [])

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl0 -> if f x then Some x else find f tl0

(** val partition : ('a1 -> bool) -> 'a1 list -> 'a1 list * 'a1 list **)

let rec partition f = function
| [] -> ([], [])
| x :: tl0 ->
  let (g, d) = partition f tl0 in if f x then ((x :: g), d) else (g, (x :: d))

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl0 ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl0 tl'))

(** val firstn : nat -> 'a1 list -> 'a1 list **)

let rec firstn n0 l =
  match n0 with
  | O -> []
  | S n1 -> (match l with
             | [] -> []
             | a :: l0 -> a :: (firstn n1 l0))

(** val seq : nat -> nat -> nat list **)

let rec seq start0 = function
| O -> []
| S len0 -> start0 :: (seq (S start0) len0)

(** val repeat : 'a1 -> nat -> 'a1 list **)

let rec repeat x = function
| O -> []
| S k -> x :: (repeat x k)

(** val lsl0 : Uint63.t -> Uint63.t -> Uint63.t **)

let lsl0 = Uint63.l_sl

(** val land0 : Uint63.t -> Uint63.t -> Uint63.t **)

let land0 = Uint63.l_and

(** val lor0 : Uint63.t -> Uint63.t -> Uint63.t **)

let lor0 = Uint63.l_or

(** val lxor0 : Uint63.t -> Uint63.t -> Uint63.t **)

let lxor0 = Uint63.l_xor

(** val sub0 : Uint63.t -> Uint63.t -> Uint63.t **)

let sub0 = Uint63.sub

(** val eqb0 : Uint63.t -> Uint63.t -> bool **)

let eqb0 = Uint63.equal

(** val leb0 : Uint63.t -> Uint63.t -> bool **)

let leb0 = Uint63.le

(** val size : nat **)

let size =
  S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

(** val opp0 : Uint63.t -> Uint63.t **)

let opp0 i =
  sub0 (Uint63.of_int (0)) i

(** val of_pos_rec : nat -> positive -> Uint63.t **)

let rec of_pos_rec n0 p =
  match n0 with
  | O -> (Uint63.of_int (0))
  | S n1 ->
    (match p with
     | XI p0 ->
       lor0 (lsl0 (of_pos_rec n1 p0) (Uint63.of_int (1))) (Uint63.of_int (1))
     | XO p0 -> lsl0 (of_pos_rec n1 p0) (Uint63.of_int (1))
     | XH -> (Uint63.of_int (1)))

(** val of_pos : positive -> Uint63.t **)

let of_pos =
  of_pos_rec size

(** val of_Z : z -> Uint63.t **)

let of_Z = function
| Z0 -> (Uint63.of_int (0))
| Zpos p -> of_pos p
| Zneg p -> opp0 (of_pos p)

type 'a order = 'a -> 'a -> comparison

(** val compare0 : 'a1 order -> 'a1 -> 'a1 -> comparison **)

let compare0 order0 =
  order0

(** val order_Z : z order **)

let order_Z =
  Z.compare

(** val order_nat : nat order **)

let order_nat =
  Nat.compare

(** val order_pair : 'a1 order -> 'a2 order -> ('a1 * 'a2) order **)

let order_pair h h0 x y =
  match compare0 h (Stdlib.fst x) (Stdlib.fst y) with
  | Eq -> compare0 h0 (Stdlib.snd x) (Stdlib.snd y)
  | x0 -> x0

(** val compare_lists : 'a1 order -> 'a1 list -> 'a1 list -> comparison **)

let rec compare_lists h l m =
  match l with
  | [] -> (match m with
           | [] -> Eq
           | _ :: _ -> Lt)
  | x :: l0 ->
    (match m with
     | [] -> Gt
     | y :: m0 ->
       (match compare0 h x y with
        | Eq -> compare_lists h l0 m0
        | x0 -> x0))

(** val order_list : 'a1 order -> 'a1 list order **)

let order_list =
  compare_lists

type point = z list

type atom = point * nat

(** val plus : point -> point -> point **)

let rec plus v w =
  match v with
  | [] -> []
  | x :: v0 ->
    (match w with
     | [] -> []
     | y :: w0 -> (Z.add x y) :: (plus v0 w0))

(** val times : z -> point -> point **)

let times n0 v =
  map (Z.mul n0) v

(** val product : point -> point -> z **)

let rec product v w =
  match v with
  | [] -> Z0
  | x :: v0 ->
    (match w with
     | [] -> Z0
     | y :: w0 -> Z.add (Z.mul x y) (product v0 w0))

type symmetry = { matrix : point list; image : nat list; shift : point list }

(** val apply : point list -> point -> point **)

let apply m c =
  map (fun row1 -> product row1 c) m

(** val move : symmetry -> point -> atom -> atom **)

let move g v a =
  ((plus
     (plus (apply g.matrix (Stdlib.fst a)) (nth (Stdlib.snd a) g.shift [])) v),
    (nth (Stdlib.snd a) g.image O))

type mark = (atom * atom) * z

(** val side : mark -> atom **)

let side m =
  Stdlib.fst (Stdlib.fst m)

(** val face : mark -> atom **)

let face m =
  Stdlib.snd (Stdlib.fst m)

(** val called : mark -> z **)

let called =
  Stdlib.snd

type tile = { body : atom list; marks : mark list; turns : nat list;
              ranges : (z * z option) list }

type placement = nat * (atom list * mark list)

(** val tile_of : placement -> nat **)

let tile_of =
  Stdlib.fst

(** val covers : placement -> atom list **)

let covers p =
  Stdlib.fst (Stdlib.snd p)

(** val shows : placement -> mark list **)

let shows p =
  Stdlib.snd (Stdlib.snd p)

type rule = { atom_weights : (atom * z) list; tile_weights : z list;
              least : z; most : z; modulus : z; residue : z }

type puzzle = { gram : point list; unit1 : z; cell : (z * point list) list;
                symmetries : symmetry list; tiles : tile list;
                required : atom list; optional : atom list;
                mates : (z * z option) list; fits : (z * z list) list;
                coloured : (atom * z) list; border : z option;
                rules : rule list; fixed : placement list; keep : atom list;
                mirrored : bool }

(** val dimension : puzzle -> nat **)

let dimension p =
  length p.gram

(** val corners : puzzle -> atom -> point list **)

let corners p a =
  map (plus (times p.unit1 (Stdlib.fst a)))
    (Stdlib.snd (nth (Stdlib.snd a) p.cell (Z0, [])))

(** val kind : puzzle -> atom -> z option **)

let kind p a =
  option_map Stdlib.fst (nth_error p.cell (Stdlib.snd a))

(** val basis : nat -> nat -> point **)

let basis d i =
  map (fun k -> if Nat.eqb k i then Zpos XH else Z0) (seq O d)

(** val inner : puzzle -> point -> point -> z **)

let inner p x y =
  product x (apply p.gram y)

(** val determinant : point list -> z **)

let determinant = function
| [] -> Z0
| p :: l ->
  (match p with
   | [] -> Z0
   | a :: l0 ->
     (match l0 with
      | [] -> (match l with
               | [] -> a
               | _ :: _ -> Z0)
      | b :: l1 ->
        (match l1 with
         | [] ->
           (match l with
            | [] -> Z0
            | p0 :: l2 ->
              (match p0 with
               | [] -> Z0
               | c :: l3 ->
                 (match l3 with
                  | [] -> Z0
                  | d :: l4 ->
                    (match l4 with
                     | [] ->
                       (match l2 with
                        | [] -> Z.sub (Z.mul a d) (Z.mul b c)
                        | _ :: _ -> Z0)
                     | _ :: _ -> Z0))))
         | c :: l2 ->
           (match l2 with
            | [] ->
              (match l with
               | [] -> Z0
               | p0 :: l3 ->
                 (match p0 with
                  | [] -> Z0
                  | d :: l4 ->
                    (match l4 with
                     | [] -> Z0
                     | e :: l5 ->
                       (match l5 with
                        | [] -> Z0
                        | f :: l6 ->
                          (match l6 with
                           | [] ->
                             (match l3 with
                              | [] -> Z0
                              | p1 :: l7 ->
                                (match p1 with
                                 | [] -> Z0
                                 | g :: l8 ->
                                   (match l8 with
                                    | [] -> Z0
                                    | h :: l9 ->
                                      (match l9 with
                                       | [] -> Z0
                                       | i :: l10 ->
                                         (match l10 with
                                          | [] ->
                                            (match l7 with
                                             | [] ->
                                               Z.add
                                                 (Z.sub
                                                   (Z.mul a
                                                     (Z.sub (Z.mul e i)
                                                       (Z.mul f h)))
                                                   (Z.mul b
                                                     (Z.sub (Z.mul d i)
                                                       (Z.mul f g))))
                                                 (Z.mul c
                                                   (Z.sub (Z.mul d h)
                                                     (Z.mul e g)))
                                             | _ :: _ -> Z0)
                                          | _ :: _ -> Z0)))))
                           | _ :: _ -> Z0)))))
            | _ :: _ -> Z0))))

(** val move_mark : symmetry -> point -> mark -> mark **)

let move_mark g v m =
  (((move g v (side m)), (move g v (face m))), (called m))

(** val sum : z list -> z **)

let sum l =
  fold_right Z.add Z0 l

(** val copies : nat -> placement list -> z **)

let copies t s =
  Z.of_nat (length (filter (fun p -> Nat.eqb (tile_of p) t) s))

(** val low : tile -> z **)

let low t =
  sum (map Stdlib.fst t.ranges)

(** val high : tile -> z option **)

let high t =
  fold_right (fun r sum0 ->
    match Stdlib.snd r with
    | Some h -> (match sum0 with
                 | Some s -> Some (Z.add h s)
                 | None -> None)
    | None -> None) (Some Z0) t.ranges

(** val atom_weight : rule -> atom -> z **)

let atom_weight r a =
  sum
    (map Stdlib.snd
      (filter (fun w ->
        match compare0 (order_pair (order_list order_Z) order_nat)
                (Stdlib.fst w) a with
        | Eq -> true
        | _ -> false) r.atom_weights))

(** val weight : rule -> placement -> z **)

let weight r p =
  Z.add (nth (tile_of p) r.tile_weights Z0)
    (sum (map (atom_weight r) (covers p)))

(** val mirror : point list -> bool **)

let mirror m =
  Z.ltb (determinant m) Z0

(** val same : 'a1 order -> 'a1 -> 'a1 -> bool **)

let same h x y =
  match compare0 h x y with
  | Eq -> true
  | _ -> false

(** val member : 'a1 order -> 'a1 -> 'a1 list -> bool **)

let member h x l =
  existsb (same h x) l

(** val merge : 'a1 order -> 'a1 list -> 'a1 list -> 'a1 list **)

let rec merge oA = function
| [] -> (fun m -> m)
| x :: l' ->
  let rec right m = match m with
  | [] -> x :: l'
  | y :: m' ->
    (match compare0 oA x y with
     | Eq -> x :: (merge oA l' m')
     | Lt -> x :: (merge oA l' m)
     | Gt -> y :: (right m'))
  in right

(** val add_run :
    'a1 order -> 'a1 list -> 'a1 list option list -> 'a1 list option list **)

let rec add_run oA l = function
| [] -> (Some l) :: []
| o :: runs0 ->
  (match o with
   | Some m -> None :: (add_run oA (merge oA m l) runs0)
   | None -> (Some l) :: runs0)

(** val set_of : 'a1 order -> 'a1 list -> 'a1 list **)

let set_of oA l =
  fold_left (fun all run ->
    match run with
    | Some m -> merge oA m all
    | None -> all) (fold_left (fun runs x -> add_run oA (x :: []) runs) l [])
    []

type ('k, 'v) index =
| Tip
| Fork of ('k, 'v) index * 'k * 'v * ('k, 'v) index

(** val find0 : 'a1 order -> 'a1 -> ('a1, 'a2) index -> 'a2 option **)

let rec find0 oK x = function
| Tip -> None
| Fork (l, k, v, r) ->
  (match compare0 oK x k with
   | Eq -> Some v
   | Lt -> find0 oK x l
   | Gt -> find0 oK x r)

(** val grow :
    nat -> ('a1 * 'a2) list -> ('a1, 'a2) index * ('a1 * 'a2) list **)

let rec grow depth l =
  match depth with
  | O -> (Tip, l)
  | S depth0 ->
    (match l with
     | [] -> (Tip, l)
     | _ :: _ ->
       let (left, l0) = grow depth0 l in
       (match l0 with
        | [] -> (left, [])
        | p :: l1 ->
          let (k, v) = p in
          let (right, l2) = grow depth0 l1 in ((Fork (left, k, v, right)), l2)))

(** val index_of : ('a1 * 'a2) list -> ('a1, 'a2) index **)

let index_of l =
  Stdlib.fst (grow (S (Nat.log2 (length l))) l)

type 'a numbered =
| Nothing
| At of 'a numbered * 'a numbered * 'a option

(** val get : positive -> 'a1 numbered -> 'a1 option **)

let rec get n0 = function
| Nothing -> None
| At (even, odd0, x) ->
  (match n0 with
   | XI n1 -> get n1 odd0
   | XO n1 -> get n1 even
   | XH -> x)

(** val put : positive -> 'a1 -> 'a1 numbered -> 'a1 numbered **)

let rec put n0 a = function
| Nothing ->
  let p = (Nothing, Nothing) in
  let x = None in
  let (even, odd0) = p in
  (match n0 with
   | XI n1 -> At (even, (put n1 a odd0), x)
   | XO n1 -> At ((put n1 a even), odd0, x)
   | XH -> At (even, odd0, (Some a)))
| At (even, odd0, x) ->
  let p = (even, odd0) in
  let (even0, odd1) = p in
  (match n0 with
   | XI n1 -> At (even0, (put n1 a odd1), x)
   | XO n1 -> At ((put n1 a even0), odd1, x)
   | XH -> At (even0, odd1, (Some a)))

(** val number_from : positive -> 'a1 list -> 'a1 numbered **)

let rec number_from n0 = function
| [] -> Nothing
| a :: l0 -> put n0 a (number_from (Coq_Pos.succ n0) l0)

type ('o, 'i) problem = { options : 'o list; items : 'i list;
                          has : ('o -> 'i -> bool); fewest : ('i -> z);
                          greatest : ('i -> z option);
                          clash : ('o -> 'o -> bool) }

(** val within_b : z -> z option -> bool **)

let within_b n0 = function
| Some h0 -> Z.leb n0 h0
| None -> true

(** val shifted : point -> atom -> atom **)

let shifted v a =
  ((plus (Stdlib.fst a) v), (Stdlib.snd a))

(** val shifted_mark : point -> mark -> mark **)

let shifted_mark v m =
  (((shifted v (side m)), (shifted v (face m))), (called m))

(** val minus : point -> point -> point **)

let rec minus v w =
  match v with
  | [] -> []
  | x :: v0 ->
    (match w with
     | [] -> []
     | y :: w0 -> (Z.sub x y) :: (minus v0 w0))

(** val zero : nat -> point **)

let zero d =
  repeat Z0 d

type look = atom list * mark list

(** val turned : puzzle -> tile -> symmetry -> look **)

let turned p t g =
  ((map (move g (zero (dimension p))) t.body),
    (map (move_mark g (zero (dimension p))) t.marks))

(** val has_dimension : nat -> atom -> bool **)

let has_dimension d a =
  Nat.eqb (length (Stdlib.fst a)) d

(** val look_has_dimension : nat -> look -> bool **)

let look_has_dimension d l =
  (&&) (forallb (has_dimension d) (Stdlib.fst l))
    (forallb (fun m ->
      (&&) (has_dimension d (side m)) (has_dimension d (face m)))
      (Stdlib.snd l))

(** val least_of : point -> point -> point **)

let rec least_of v w =
  match v with
  | [] -> []
  | x :: v0 ->
    (match w with
     | [] -> []
     | y :: w0 -> (Z.min x y) :: (least_of v0 w0))

(** val home : nat -> look -> point **)

let home d l =
  match Stdlib.fst l with
  | [] -> zero d
  | a :: atoms ->
    minus (zero d)
      (fold_left (fun v b -> least_of v (Stdlib.fst b)) atoms (Stdlib.fst a))

(** val at_home : nat -> look -> look **)

let at_home d l =
  ((set_of (order_pair (order_list order_Z) order_nat)
     (map (shifted (home d l)) (Stdlib.fst l))),
    (set_of
      (order_pair
        (order_pair (order_pair (order_list order_Z) order_nat)
          (order_pair (order_list order_Z) order_nat)) order_Z)
      (map (shifted_mark (home d l)) (Stdlib.snd l))))

(** val firsts : 'a1 order -> 'a1 list -> 'a1 list -> 'a1 list **)

let rec firsts h l seen =
  match l with
  | [] -> rev seen
  | x :: l0 ->
    if member h x seen then firsts h l0 seen else firsts h l0 (x :: seen)

(** val turns_of : puzzle -> tile -> symmetry list **)

let turns_of p t =
  flat_map (fun n0 ->
    match nth_error p.symmetries n0 with
    | Some g -> g :: []
    | None -> []) t.turns

(** val looks : puzzle -> tile -> look list **)

let looks p t =
  firsts
    (order_pair (order_list (order_pair (order_list order_Z) order_nat))
      (order_list
        (order_pair
          (order_pair (order_pair (order_list order_Z) order_nat)
            (order_pair (order_list order_Z) order_nat)) order_Z)))
    (map (fun g -> at_home (dimension p) (turned p t g)) (turns_of p t)) []

(** val divided : z -> point -> point **)

let rec divided n0 = function
| [] -> []
| x :: v0 -> (Z.div x n0) :: (divided n0 v0)

(** val atoms_at : puzzle -> point -> atom list **)

let atoms_at p x =
  flat_map (fun n0 ->
    map (fun k -> ((divided p.unit1 (minus x k)), n0))
      (Stdlib.snd (nth n0 p.cell (Z0, [])))) (seq O (length p.cell))

(** val same_kind : puzzle -> atom -> atom -> bool **)

let same_kind p a b =
  match kind p a with
  | Some x -> (match kind p b with
               | Some y -> Z.eqb x y
               | None -> false)
  | None -> (match kind p b with
             | Some _ -> false
             | None -> true)

(** val face_at_b : puzzle -> atom -> atom -> bool **)

let face_at_b p s f =
  (&&)
    ((&&)
      ((&&)
        ((&&) (match kind p f with
               | Some _ -> true
               | None -> false) (has_dimension (dimension p) f))
        (same_kind p f ([], O))) (Stdlib.not (same_kind p s f)))
    (forallb (fun x -> member (order_list order_Z) x (corners p f))
      (corners p s))

(** val cell_ok : puzzle -> bool **)

let cell_ok p =
  (&&) (Z.ltb Z0 p.unit1)
    (forallb (fun a ->
      (&&) (match Stdlib.snd a with
            | [] -> false
            | _ :: _ -> true)
        (forallb (fun k -> Nat.eqb (length k) (dimension p)) (Stdlib.snd a)))
      p.cell)

(** val colours_fit_b : puzzle -> look -> bool **)

let colours_fit_b p l =
  forallb (fun m ->
    (||)
      (Stdlib.not
        (same (order_pair (order_list order_Z) order_nat) (side m) (face m)))
      (forallb (fun ac ->
        (||)
          (Stdlib.not
            (same (order_pair (order_list order_Z) order_nat) (Stdlib.fst ac)
              (face m)))
          (existsb (fun f ->
            (&&) (same order_Z (Stdlib.fst f) (called m))
              (member order_Z (Stdlib.snd ac) (Stdlib.snd f))) p.fits))
        p.coloured)) (Stdlib.snd l)

(** val may_meet : puzzle -> z -> z -> bool **)

let may_meet p n0 b =
  existsb (fun m ->
    (&&) (same order_Z (Stdlib.fst m) n0)
      (match Stdlib.snd m with
       | Some k -> Z.eqb k b
       | None -> false)) p.mates

(** val looks_out : puzzle -> (atom -> bool) -> atom -> bool **)

let looks_out p inside0 s =
  match corners p s with
  | [] -> true
  | x :: _ ->
    existsb (fun f -> (&&) (face_at_b p s f) (Stdlib.not (inside0 f)))
      (atoms_at p x)

(** val border_met_b : puzzle -> (atom -> bool) -> look -> bool **)

let border_met_b p inside0 l =
  match p.border with
  | Some b ->
    forallb (fun m ->
      (||)
        ((||)
          (same (order_pair (order_list order_Z) order_nat) (side m) (face m))
          (may_meet p (called m) b))
        (Stdlib.not (looks_out p inside0 (side m)))) (Stdlib.snd l)
  | None -> true

(** val laid : puzzle -> (atom -> bool) -> look -> atom -> look list **)

let laid p inside0 l target0 =
  match Stdlib.fst l with
  | [] -> []
  | first :: _ ->
    let v = minus (Stdlib.fst target0) (Stdlib.fst first) in
    let atoms = map (shifted v) (Stdlib.fst l) in
    if (&&) (Nat.eqb (Stdlib.snd target0) (Stdlib.snd first))
         (forallb inside0 atoms)
    then let there =
           ((set_of (order_pair (order_list order_Z) order_nat) atoms),
           (set_of
             (order_pair
               (order_pair (order_pair (order_list order_Z) order_nat)
                 (order_pair (order_list order_Z) order_nat)) order_Z)
             (map (shifted_mark v) (Stdlib.snd l))))
         in
         if (&&) (colours_fit_b p there) (border_met_b p inside0 there)
         then there :: []
         else []
    else []

(** val form_list : puzzle -> atom list **)

let form_list p =
  set_of (order_pair (order_list order_Z) order_nat)
    (app p.required p.optional)

(** val placements_of :
    puzzle -> (atom -> bool) -> nat -> tile -> placement list **)

let placements_of p inside0 n0 t =
  flat_map (fun l ->
    flat_map (fun target0 ->
      map (fun x -> (n0, x)) (laid p inside0 l target0)) (form_list p))
    (looks p t)

(** val placements : puzzle -> (atom -> bool) -> placement list **)

let placements p inside0 =
  flat_map (fun nt ->
    placements_of p inside0 (Stdlib.fst nt) (Stdlib.snd nt))
    (combine (seq O (length p.tiles)) p.tiles)

(** val data_ok : puzzle -> (atom -> bool) -> bool **)

let data_ok p inside0 =
  (&&)
    ((&&) (cell_ok p)
      (forallb (fun t ->
        (&&) (match t.body with
              | [] -> false
              | _ :: _ -> true)
          (forallb (fun g -> look_has_dimension (dimension p) (turned p t g))
            (turns_of p t))) p.tiles))
    (forallb (fun a -> (&&) (has_dimension (dimension p) a) (inside0 a))
      (form_list p))

(** val sides_ok : puzzle -> bool **)

let sides_ok p =
  match p.border with
  | Some _ ->
    forallb (fun t ->
      forallb (fun g ->
        forallb (fun m -> Nat.ltb (Stdlib.snd (side m)) (length p.cell))
          (Stdlib.snd (turned p t g))) (turns_of p t)) p.tiles
  | None -> true

type item =
| Required of atom
| Optional of atom
| Tile of nat

(** val may_be_beside : puzzle -> mark -> mark -> bool **)

let may_be_beside p m n0 =
  existsb (fun k ->
    (&&) (same order_Z (Stdlib.fst k) (called m))
      (match Stdlib.snd k with
       | Some c -> Z.eqb c (called n0)
       | None -> false)) p.mates

(** val marks_clash : puzzle -> mark -> mark -> bool **)

let marks_clash p m n0 =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          (same (order_pair (order_list order_Z) order_nat) (side m)
            (side n0))
          (Stdlib.not
            (same (order_pair (order_list order_Z) order_nat) (side m)
              (face m))))
        (Stdlib.not
          (same (order_pair (order_list order_Z) order_nat) (side n0)
            (face n0))))
      (Stdlib.not
        (same (order_pair (order_list order_Z) order_nat) (face m) (face n0))))
    (Stdlib.not (may_be_beside p m n0))

(** val placements_clash : puzzle -> placement -> placement -> bool **)

let placements_clash p p0 q =
  existsb (fun m -> existsb (marks_clash p m) (shows q)) (shows p0)

(** val tile_low : puzzle -> nat -> z **)

let tile_low p n0 =
  match nth_error p.tiles n0 with
  | Some t -> low t
  | None -> Z0

(** val tile_high : puzzle -> nat -> z option **)

let tile_high p n0 =
  match nth_error p.tiles n0 with
  | Some t -> high t
  | None -> Some Z0

(** val same_point : point -> point -> bool **)

let rec same_point v w =
  match v with
  | [] -> (match w with
           | [] -> true
           | _ :: _ -> false)
  | x :: v0 ->
    (match w with
     | [] -> false
     | y :: w0 -> (&&) (Z.eqb x y) (same_point v0 w0))

(** val same_atom : atom -> atom -> bool **)

let same_atom a b =
  (&&) (Nat.eqb (Stdlib.snd a) (Stdlib.snd b))
    (same_point (Stdlib.fst a) (Stdlib.fst b))

(** val covers_atom : atom -> atom list -> bool **)

let rec covers_atom a = function
| [] -> false
| b :: l0 -> (||) (same_atom a b) (covers_atom a l0)

(** val covers_item : placement -> item -> bool **)

let covers_item p = function
| Required a -> covers_atom a (covers p)
| Optional a -> covers_atom a (covers p)
| Tile n0 -> Nat.eqb (tile_of p) n0

(** val all_items : puzzle -> item list **)

let all_items p =
  app (map (fun x -> Required x) p.required)
    (app (map (fun x -> Optional x) p.optional)
      (map (fun x -> Tile x) (seq O (length p.tiles))))

(** val problem_of : puzzle -> placement list -> (placement, item) problem **)

let problem_of p placements0 =
  { options = placements0; items = (all_items p); has = covers_item; fewest =
    (fun i ->
    match i with
    | Required _ -> Zpos XH
    | Optional _ -> Z0
    | Tile n0 -> tile_low p n0); greatest = (fun i ->
    match i with
    | Tile n0 -> tile_high p n0
    | _ -> Some (Zpos XH)); clash = (placements_clash p) }

(** val keeps_b : rule -> placement list -> bool **)

let keeps_b r s =
  let total = sum (map (weight r) s) in
  if Z.eqb r.modulus Z0
  then (&&) (Z.leb r.least total) (Z.leb total r.most)
  else Z.eqb (Z.modulo (Z.sub total r.residue) r.modulus) Z0

(** val keeps_rules : puzzle -> placement list -> bool **)

let keeps_rules p s =
  forallb (fun r -> keeps_b r s) p.rules

(** val apart : Uint63.t -> Uint63.t -> bool **)

let apart a b =
  eqb0 (land0 a b) (Uint63.of_int (0))

(** val without : Uint63.t -> Uint63.t -> Uint63.t **)

let without a b =
  lxor0 a (land0 a b)

(** val has_all : Uint63.t -> Uint63.t -> bool **)

let has_all b m =
  eqb0 (land0 b m) m

module Trie =
 struct
  type place = bool list * Uint63.t

  type tree =
  | Empty
  | Word of Uint63.t
  | Fork of tree * tree

  type set = tree

  (** val word : bool list -> set -> Uint63.t **)

  let rec word way = function
  | Empty -> (Uint63.of_int (0))
  | Word w -> (match way with
               | [] -> w
               | _ :: _ -> (Uint63.of_int (0)))
  | Fork (l, r) ->
    (match way with
     | [] -> (Uint63.of_int (0))
     | b :: way0 -> word way0 (if b then r else l))

  (** val mem : place -> set -> bool **)

  let mem x s =
    Stdlib.not (apart (word (Stdlib.fst x) s) (Stdlib.snd x))

  (** val fork : set -> set -> set **)

  let fork l r =
    match l with
    | Empty -> (match r with
                | Empty -> Empty
                | _ -> Fork (l, r))
    | _ -> Fork (l, r)

  (** val diff : set -> set -> set **)

  let rec diff s t =
    match s with
    | Empty -> s
    | Word a ->
      (match t with
       | Word b ->
         let w = without a b in
         if eqb0 w (Uint63.of_int (0)) then Empty else Word w
       | _ -> s)
    | Fork (l, r) ->
      (match t with
       | Fork (l', r') -> fork (diff l l') (diff r r')
       | _ -> s)

  (** val is_empty : set -> bool **)

  let is_empty = function
  | Empty -> true
  | _ -> false

  (** val inside : place -> set -> bool **)

  let inside x s =
    has_all (word (Stdlib.fst x) s) (Stdlib.snd x)

  (** val subset : set -> set -> bool **)

  let rec subset s t =
    match s with
    | Empty -> true
    | Word a -> (match t with
                 | Word b -> has_all b a
                 | _ -> false)
    | Fork (l, r) ->
      (match t with
       | Fork (l', r') -> (&&) (subset l l') (subset r r')
       | _ -> false)

  (** val union : set -> set -> set **)

  let rec union s t =
    match s with
    | Empty -> t
    | Word a -> (match t with
                 | Word b -> Word (lor0 a b)
                 | _ -> s)
    | Fork (l, r) ->
      (match t with
       | Fork (l', r') -> Fork ((union l l'), (union r r'))
       | _ -> s)

  (** val put : bool list -> Uint63.t -> set **)

  let rec put way w =
    match way with
    | [] -> Word w
    | b :: way0 ->
      if b then Fork (Empty, (put way0 w)) else Fork ((put way0 w), Empty)

  (** val single : place -> set **)

  let single x =
    put (Stdlib.fst x) (Stdlib.snd x)

  type 'a table' =
  | TEmpty
  | TLeaf of (Uint63.t * 'a) list
  | TFork of 'a table' * 'a table'

  type 'a table = 'a table'

  (** val leaf : bool list -> 'a1 table -> (Uint63.t * 'a1) list **)

  let rec leaf way = function
  | TEmpty -> []
  | TLeaf l -> (match way with
                | [] -> l
                | _ :: _ -> [])
  | TFork (l, r) ->
    (match way with
     | [] -> []
     | b :: way0 -> leaf way0 (if b then r else l))

  (** val entries : place -> 'a1 table -> 'a1 list **)

  let entries x t =
    map Stdlib.snd
      (filter (fun e -> eqb0 (Stdlib.fst e) (Stdlib.snd x))
        (leaf (Stdlib.fst x) t))

  (** val chosen :
      (Uint63.t * 'a1) list -> Uint63.t -> 'a1 list -> 'a1 list **)

  let rec chosen l w more =
    match l with
    | [] -> more
    | p :: l0 ->
      let (m, a) = p in
      if apart w m then chosen l0 w more else a :: (chosen l0 w more)

  (** val pick_before : 'a1 table -> set -> 'a1 list -> 'a1 list **)

  let rec pick_before t s more =
    match t with
    | TEmpty -> more
    | TLeaf l -> (match s with
                  | Word w -> chosen l w more
                  | _ -> more)
    | TFork (l, r) ->
      (match s with
       | Fork (sl, sr) -> pick_before l sl (pick_before r sr more)
       | _ -> more)

  (** val pick : 'a1 table -> set -> 'a1 list **)

  let pick t s =
    pick_before t s []

  (** val add : bool list -> Uint63.t -> 'a1 -> 'a1 table -> 'a1 table **)

  let rec add way m a t =
    match way with
    | [] ->
      TLeaf (match t with
             | TLeaf l -> app l ((m, a) :: [])
             | _ -> (m, a) :: [])
    | b :: way0 ->
      (match t with
       | TEmpty ->
         let l = TEmpty in
         let r = TEmpty in
         if b
         then TFork (l, (add way0 m a r))
         else TFork ((add way0 m a l), r)
       | TLeaf _ ->
         let l = TEmpty in
         let r = TEmpty in
         if b
         then TFork (l, (add way0 m a r))
         else TFork ((add way0 m a l), r)
       | TFork (l, r) ->
         if b
         then TFork (l, (add way0 m a r))
         else TFork ((add way0 m a l), r))
 end

module Search =
 struct
  type 'i multi = { m_item : 'i; m_spot : Trie.place; m_members : Trie.set;
                    m_most : z }

  (** val m_spot : 'a1 multi -> Trie.place **)

  let m_spot m =
    m.m_spot

  (** val m_members : 'a1 multi -> Trie.set **)

  let m_members m =
    m.m_members

  (** val m_most : 'a1 multi -> z **)

  let m_most m =
    m.m_most

  type ('o, 'i) row = { id : 'o; number : positive; here : Trie.place;
                        self : Trie.set; kill : Trie.set;
                        contents : Trie.set; singles : Trie.set;
                        tight : 'i multi list }

  (** val id : ('a1, 'a2) row -> 'a1 **)

  let id r =
    r.id

  (** val number : ('a1, 'a2) row -> positive **)

  let number r =
    r.number

  (** val here : ('a1, 'a2) row -> Trie.place **)

  let here r =
    r.here

  (** val self : ('a1, 'a2) row -> Trie.set **)

  let self r =
    r.self

  (** val kill : ('a1, 'a2) row -> Trie.set **)

  let kill r =
    r.kill

  (** val contents : ('a1, 'a2) row -> Trie.set **)

  let contents r =
    r.contents

  (** val singles : ('a1, 'a2) row -> Trie.set **)

  let singles r =
    r.singles

  (** val tight : ('a1, 'a2) row -> 'a2 multi list **)

  let tight r =
    r.tight

  type ('o, 'i) branch = { item : 'i; spot : Trie.place; need : z;
                           most : z option; one : bool;
                           choices : ('o, 'i) row Trie.table }

  (** val spot : ('a1, 'a2) branch -> Trie.place **)

  let spot b =
    b.spot

  (** val need : ('a1, 'a2) branch -> z **)

  let need b =
    b.need

  (** val most : ('a1, 'a2) branch -> z option **)

  let most b =
    b.most

  (** val one : ('a1, 'a2) branch -> bool **)

  let one b =
    b.one

  (** val choices : ('a1, 'a2) branch -> ('a1, 'a2) row Trie.table **)

  let choices b =
    b.choices

  type ('o, 'i) row' = ('o, 'i) row

  (** val ids : ('a1, 'a2) row' list -> 'a1 list **)

  let ids c =
    map (fun r -> r.id) c

  (** val count : Trie.place -> ('a1, 'a2) row' list -> z **)

  let rec count x = function
  | [] -> Z0
  | r :: c0 ->
    if Trie.mem x r.contents then Z.succ (count x c0) else count x c0

  (** val after :
      ('a1, 'a2) row' -> Trie.set -> ('a1, 'a2) row' list -> Trie.set **)

  let after r p c =
    match r.tight with
    | [] -> Trie.diff p r.kill
    | m :: l ->
      fold_left (fun p0 m0 ->
        if Z.leb m0.m_most (count m0.m_spot (r :: c))
        then Trie.diff p0 m0.m_members
        else p0) (m :: l) (Trie.diff p r.kill)

  (** val peel : Trie.set -> ('a1, 'a2) row' list -> Trie.set option **)

  let rec peel full = function
  | [] -> Some full
  | r :: c0 ->
    (match peel full c0 with
     | Some r0 ->
       if Trie.subset r.singles r0
       then Some (Trie.diff r0 r.singles)
       else None
     | None -> None)

  (** val is_solution :
      'a1 order -> ('a1 -> 'a1 -> bool) -> Trie.set -> Trie.set -> ('a1, 'a2)
      branch list -> ('a1, 'a2) row' list -> bool **)

  let is_solution oO clash0 full spare others c =
    match peel full c with
    | Some r ->
      (&&)
        ((&&) (Trie.is_empty (Trie.diff r spare))
          (forallb (fun b ->
            (&&) (Z.leb b.need (count b.spot c))
              (within_b (count b.spot c) b.most)) others))
        (forallb (fun o ->
          forallb (fun p -> (||) (Stdlib.not (clash0 o p)) (same oO o p))
            (ids c)) (ids c))
    | None -> false

  type ('o, 'i, 'stream, 'a) walk =
    Trie.set -> Trie.set -> ('o, 'i) row' list -> 'stream -> 'a ->
    ('stream * 'a) option

  (** val ones :
      ('a1, 'a2, 'a3, 'a4) walk -> ('a1, 'a2) row' list -> Trie.set ->
      Trie.set -> ('a1, 'a2) row' list -> 'a3 -> 'a4 -> ('a3 * 'a4) option **)

  let rec ones go rs p r c s f =
    match rs with
    | [] -> Some (s, f)
    | r0 :: rs0 ->
      (match go (after r0 p c) (Trie.diff r r0.singles) (r0 :: c) s f with
       | Some p0 -> let (s0, f0) = p0 in ones go rs0 p r c s0 f0
       | None -> None)

  (** val each :
      ('a1, 'a2, 'a3, 'a4) walk -> bool -> ('a1, 'a2) row' list -> Trie.set
      -> Trie.set -> ('a1, 'a2) row' list -> 'a3 -> 'a4 -> ('a3 * 'a4) option **)

  let rec each go finished rs p r c s f =
    match rs with
    | [] -> if finished then Some (s, f) else go p r c s f
    | r0 :: rs0 ->
      (match go (after r0 p c) (Trie.diff r r0.singles) (r0 :: c) s f with
       | Some p0 ->
         let (s0, f0) = p0 in
         each go finished rs0 (Trie.diff p r0.self) r c s0 f0
       | None -> None)

  (** val node :
      'a1 order -> ('a1 -> 'a1 -> bool) -> Trie.set -> Trie.set -> ('a1, 'a2)
      branch list -> ('a3 -> (('a1, 'a2) branch * 'a3) option) -> (('a1, 'a2)
      row' list -> 'a4 -> 'a4) -> nat -> Trie.set -> Trie.set -> ('a1, 'a2)
      row' list -> 'a3 -> 'a4 -> ('a3 * 'a4) option **)

  let rec node oO clash0 full spare others next leaf0 fuel p r c s f =
    match fuel with
    | O -> None
    | S fuel0 ->
      if (&&) (Trie.is_empty p) (is_solution oO clash0 full spare others c)
      then Some (s, (leaf0 c f))
      else (match next s with
            | Some p0 ->
              let (b, s0) = p0 in
              if b.one
              then if Trie.mem b.spot r
                   then ones
                          (node oO clash0 full spare others next leaf0 fuel0)
                          (Trie.pick b.choices p) p r c s0 f
                   else None
              else let rs = Trie.pick b.choices p in
                   let n0 = Z.sub b.need (count b.spot c) in
                   if Z.ltb (Z.of_nat (length rs)) n0
                   then Some (s0, f)
                   else (match rs with
                         | [] -> None
                         | _ :: _ ->
                           each
                             (node oO clash0 full spare others next leaf0
                               fuel0) (Z.ltb Z0 n0) rs p r c s0 f)
            | None -> None)

  (** val remove :
      (('a1, 'a2) row' * ('a1, 'a2) branch) list -> Trie.set -> Trie.set
      option **)

  let rec remove rs p =
    match rs with
    | [] -> Some p
    | p0 :: rs0 ->
      let (r, b) = p0 in
      if (&&) (Stdlib.not (Trie.mem b.spot r.contents))
           (Z.ltb
             (Z.of_nat (length (Trie.pick b.choices (Trie.diff p r.kill))))
             b.need)
      then remove rs0 (Trie.diff p r.self)
      else None

  (** val start :
      ('a1, 'a2) row' list -> Trie.set -> ('a1, 'a2) row' list ->
      (Trie.set * ('a1, 'a2) row' list) option **)

  let rec start rs p c =
    match rs with
    | [] -> Some (p, c)
    | r :: rs0 ->
      if Trie.mem r.here p then start rs0 (after r p c) (r :: c) else None

  (** val uncovered : Trie.set -> ('a1, 'a2) row' list -> Trie.set **)

  let uncovered full c =
    fold_right (fun r r0 -> Trie.diff r0 r.singles) full c

  (** val search :
      'a1 order -> ('a1 -> 'a1 -> bool) -> Trie.set -> Trie.set -> ('a1, 'a2)
      branch list -> ('a3 -> (('a1, 'a2) branch * 'a3) option) -> (('a1, 'a2)
      row' list -> 'a4 -> 'a4) -> nat -> Trie.set -> ('a1, 'a2) row' list ->
      (('a1, 'a2) row' * ('a1, 'a2) branch) list -> 'a3 -> 'a4 -> ('a3 * 'a4)
      option **)

  let search oO clash0 full spare others next leaf0 fuel allowed forced removals0 s f =
    match remove removals0 allowed with
    | Some p ->
      (match start forced p [] with
       | Some p0 ->
         let (p1, c) = p0 in
         node oO clash0 full spare others next leaf0 fuel p1
           (uncovered full c) c s f
       | None -> Some (s, f))
    | None -> None

  (** val sorted_out : Trie.set -> Trie.set -> ('a1, 'a2) branch -> bool **)

  let sorted_out full spare b =
    (&&)
      ((&&) (match b.most with
             | Some h -> Z.eqb h (Zpos XH)
             | None -> false) (Trie.mem b.spot full))
      ((||) (Z.leb b.need Z0)
        ((&&) (Z.eqb b.need (Zpos XH)) (Stdlib.not (Trie.mem b.spot spare))))
 end

type place0 = Trie.place

type set0 = Trie.set

type row0 = (placement, item) Search.row

type branch0 = (placement, item) Search.branch

(** val place_number : nat -> z -> place0 **)

let place_number depth n0 =
  let w = Z.div n0 (Zpos (XI (XI (XI (XI (XI XH)))))) in
  ((map (fun k -> Z.testbit w (Z.of_nat k)) (rev (seq O depth))),
  (lsl0 (Uint63.of_int (1))
    (of_Z (Z.modulo n0 (Zpos (XI (XI (XI (XI (XI XH))))))))))

(** val depth_for : nat -> nat **)

let depth_for n0 =
  S
    (Nat.log2
      (Nat.div n0 (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

(** val set_of_places : place0 list -> set0 **)

let set_of_places l =
  fold_left (fun s x -> Trie.union s (Trie.single x)) l Trie.Empty

type info = { the_item : item; its_spot : place0; its_members : set0;
              its_low : z; its_high : z option }

type shown = mark * set0

(** val make_info :
    puzzle -> (placement * place0) list -> (item -> place0) -> item -> info **)

let make_info p numbered0 spot_of0 i =
  { the_item = i; its_spot = (spot_of0 i); its_members =
    (set_of_places
      (map Stdlib.snd
        (filter (fun x -> covers_item (Stdlib.fst x) i) numbered0)));
    its_low =
    (match i with
     | Required _ -> Zpos XH
     | Optional _ -> Z0
     | Tile n0 -> tile_low p n0); its_high =
    (match i with
     | Tile n0 -> tile_high p n0
     | _ -> Some (Zpos XH)) }

(** val single_info : info -> bool **)

let single_info i =
  match i.its_high with
  | Some h -> Z.eqb h (Zpos XH)
  | None -> false

(** val make_row :
    puzzle -> (placement -> positive) -> info list -> (atom -> shown list) ->
    (placement * place0) -> row0 **)

let make_row p number_of0 infos shown_on = function
| (p0, at_place) ->
  let mine = filter (fun i -> covers_item p0 i.the_item) infos in
  let clashing =
    flat_map (fun m ->
      filter (fun s -> marks_clash p m (Stdlib.fst s)) (shown_on (side m)))
      (shows p0)
  in
  { Search.id = p0; Search.number = (number_of0 p0); Search.here = at_place;
  Search.self = (Trie.single at_place); Search.kill =
  (fold_left Trie.union
    (app (map Stdlib.snd clashing)
      (map (fun i -> i.its_members) (filter single_info mine)))
    (Trie.single at_place)); Search.contents =
  (set_of_places (map (fun i -> i.its_spot) mine)); Search.singles =
  (set_of_places (map (fun i -> i.its_spot) (filter single_info mine)));
  Search.tight =
  (flat_map (fun i ->
    match i.its_high with
    | Some h ->
      if Z.eqb h (Zpos XH)
      then []
      else { Search.m_item = i.the_item; Search.m_spot = i.its_spot;
             Search.m_members = i.its_members; Search.m_most = h } :: []
    | None -> []) mine) }

(** val make_branch : row0 list -> info -> branch0 **)

let make_branch rows0 i =
  { Search.item = i.the_item; Search.spot = i.its_spot; Search.need =
    i.its_low; Search.most = i.its_high; Search.one =
    ((&&) (Z.eqb i.its_low (Zpos XH)) (single_info i)); Search.choices =
    (fold_left (fun t r ->
      if (&&) (Trie.mem i.its_spot r.Search.contents)
           (covers_item r.Search.id i.the_item)
      then Trie.add (Stdlib.fst r.Search.here) (Stdlib.snd r.Search.here) r t
      else t) rows0 Trie.TEmpty) }

(** val only :
    (placement * place0) list -> set0 -> (placement -> bool) -> bool **)

let only numbered0 s f =
  forallb (fun x ->
    (||) (Stdlib.not (Trie.mem (Stdlib.snd x) s)) (f (Stdlib.fst x)))
    numbered0

(** val apart_ok :
    (placement * place0) list -> placement Trie.table -> bool **)

let apart_ok numbered0 leaves =
  forallb (fun x ->
    let l = Trie.leaf (Stdlib.fst (Stdlib.snd x)) leaves in
    (&&)
      (existsb (fun e ->
        (&&) (eqb0 (Stdlib.fst e) (Stdlib.snd (Stdlib.snd x)))
          (same
            (order_pair order_nat
              (order_pair
                (order_list (order_pair (order_list order_Z) order_nat))
                (order_list
                  (order_pair
                    (order_pair (order_pair (order_list order_Z) order_nat)
                      (order_pair (order_list order_Z) order_nat)) order_Z))))
            (Stdlib.snd e) (Stdlib.fst x))) l)
      (forallb (fun e ->
        (||)
          (same
            (order_pair order_nat
              (order_pair
                (order_list (order_pair (order_list order_Z) order_nat))
                (order_list
                  (order_pair
                    (order_pair (order_pair (order_list order_Z) order_nat)
                      (order_pair (order_list order_Z) order_nat)) order_Z))))
            (Stdlib.snd e) (Stdlib.fst x))
          (apart (Stdlib.fst e) (Stdlib.snd (Stdlib.snd x)))) l)) numbered0

(** val infos_ok : (placement * place0) list -> info list -> bool **)

let infos_ok numbered0 infos =
  forallb (fun i ->
    only numbered0 i.its_members (fun p -> covers_item p i.the_item)) infos

(** val contents_ok : info list -> row0 -> bool **)

let contents_ok infos r =
  forallb (fun i ->
    eqb (Trie.mem i.its_spot r.Search.contents)
      (covers_item r.Search.id i.the_item)) infos

(** val singles_ok : info list -> row0 -> bool **)

let singles_ok infos r =
  (&&)
    (forallb (fun i ->
      (||) (Stdlib.not (single_info i))
        (if Trie.mem i.its_spot r.Search.contents
         then (&&) (Trie.mem i.its_spot r.Search.singles)
                (Trie.inside i.its_spot r.Search.singles)
         else Stdlib.not (Trie.mem i.its_spot r.Search.singles))) infos)
    (existsb (fun i ->
      (&&) (single_info i) (covers_item r.Search.id i.the_item)) infos)

(** val row_ok : info list -> row0 -> bool **)

let row_ok infos r =
  (&&) ((&&) (contents_ok infos r) (singles_ok infos r))
    (Trie.inside r.Search.here r.Search.self)

(** val choices_ok : row0 list -> branch0 -> bool **)

let choices_ok rows0 b =
  forallb (fun r ->
    (||) (Stdlib.not (Trie.mem b.Search.spot r.Search.contents))
      (existsb (fun q ->
        same
          (order_pair order_nat
            (order_pair
              (order_list (order_pair (order_list order_Z) order_nat))
              (order_list
                (order_pair
                  (order_pair (order_pair (order_list order_Z) order_nat)
                    (order_pair (order_list order_Z) order_nat)) order_Z))))
          q.Search.id r.Search.id)
        (Trie.entries r.Search.here b.Search.choices))) rows0

(** val shown_ok :
    (placement * place0) list -> (atom * shown list) list -> bool **)

let shown_ok numbered0 all =
  forallb (fun sl ->
    forallb (fun s ->
      only numbered0 (Stdlib.snd s) (fun p ->
        member
          (order_pair
            (order_pair (order_pair (order_list order_Z) order_nat)
              (order_pair (order_list order_Z) order_nat)) order_Z)
          (Stdlib.fst s) (shows p))) (Stdlib.snd sl)) all

(** val before : 'a1 order -> 'a1 -> 'a1 -> bool **)

let before oK k l =
  match compare0 oK k l with
  | Lt -> true
  | _ -> false

type act = { by_symmetry : symmetry; by_vector : point; exchanging : nat list }

(** val goes : act -> atom -> atom **)

let goes x a =
  move x.by_symmetry x.by_vector a

(** val mark_goes : act -> mark -> mark **)

let mark_goes x m =
  (((goes x (side m)), (goes x (face m))), (called m))

(** val image_of : act -> placement -> placement **)

let image_of x p =
  ((nth (tile_of p) x.exchanging O),
    ((set_of (order_pair (order_list order_Z) order_nat)
       (map (goes x) (covers p))),
    (set_of
      (order_pair
        (order_pair (order_pair (order_list order_Z) order_nat)
          (order_pair (order_list order_Z) order_nat)) order_Z)
      (map (mark_goes x) (shows p)))))

(** val acted :
    (placement -> placement) -> placement list -> placement list **)

let acted image1 s =
  set_of
    (order_pair order_nat
      (order_pair (order_list (order_pair (order_list order_Z) order_nat))
        (order_list
          (order_pair
            (order_pair (order_pair (order_list order_Z) order_nat)
              (order_pair (order_list order_Z) order_nat)) order_Z))))
    (map image1 s)

(** val alike_sets : 'a1 order -> ('a1 -> 'a1) -> 'a1 list -> bool **)

let alike_sets h f l =
  same (order_list h) (set_of h (map f l)) (set_of h l)

(** val range_same : (z * z option) -> (z * z option) -> bool **)

let range_same r s =
  (&&) (Z.eqb (Stdlib.fst r) (Stdlib.fst s))
    (match Stdlib.snd r with
     | Some h -> (match Stdlib.snd s with
                  | Some k -> Z.eqb h k
                  | None -> false)
     | None -> (match Stdlib.snd s with
                | Some _ -> false
                | None -> true))

(** val high_same : z option -> z option -> bool **)

let high_same h k =
  match h with
  | Some h0 -> (match k with
                | Some k0 -> Z.eqb h0 k0
                | None -> false)
  | None -> (match k with
             | Some _ -> false
             | None -> true)

(** val same_copies_b : tile -> tile -> bool **)

let same_copies_b t u =
  (&&) ((&&) (Z.eqb (low t) (low u)) (high_same (high t) (high u)))
    ((||) (high_same (high t) (Some (low t)))
      (forallb (fun r ->
        Nat.eqb (length (filter (range_same r) t.ranges))
          (length (filter (range_same r) u.ranges))) (app t.ranges u.ranges)))

(** val universe : puzzle -> placement list -> atom list **)

let universe p placements0 =
  set_of (order_pair (order_list order_Z) order_nat)
    (app p.required
      (app p.optional
        (app p.keep
          (app (map Stdlib.fst p.coloured)
            (flat_map (fun p0 ->
              flat_map (fun m -> (side m) :: ((face m) :: [])) (shows p0))
              placements0)))))

(** val exchange_ok : puzzle -> nat list -> bool **)

let exchange_ok p e =
  (&&)
    ((&&) (Nat.eqb (length e) (length p.tiles))
      (forallb (fun n0 -> member order_nat n0 e) (seq O (length p.tiles))))
    (forallb (fun n0 ->
      match nth_error p.tiles n0 with
      | Some t ->
        (match nth_error p.tiles (nth n0 e O) with
         | Some u -> same_copies_b t u
         | None -> false)
      | None -> false) (seq O (length p.tiles)))

(** val takes_coverings :
    puzzle -> placement list -> (placement -> bool) -> act -> bool **)

let takes_coverings p placements0 known0 x =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&)
              ((&&)
                ((&&) (Nat.eqb (length x.by_vector) (dimension p))
                  ((||) p.mirrored (Stdlib.not (mirror x.by_symmetry.matrix))))
                (alike_sets (order_pair (order_list order_Z) order_nat)
                  (goes x) p.required))
              (alike_sets (order_pair (order_list order_Z) order_nat)
                (goes x) p.optional))
            (alike_sets (order_pair (order_list order_Z) order_nat) (goes x)
              p.keep))
          (alike_sets
            (order_pair (order_pair (order_list order_Z) order_nat) order_Z)
            (fun ac -> ((goes x (Stdlib.fst ac)), (Stdlib.snd ac)))
            p.coloured)) (exchange_ok p x.exchanging))
      (forallb (fun p0 -> known0 (image_of x p0)) placements0))
    (alike_sets
      (order_pair order_nat
        (order_pair (order_list (order_pair (order_list order_Z) order_nat))
          (order_list
            (order_pair
              (order_pair (order_pair (order_list order_Z) order_nat)
                (order_pair (order_list order_Z) order_nat)) order_Z))))
      (image_of x) p.fixed)

(** val composed_on : puzzle -> atom list -> act -> act -> act -> bool **)

let composed_on p atoms x y z0 =
  (&&)
    (forallb (fun a ->
      same (order_pair (order_list order_Z) order_nat) (goes z0 a)
        (goes x (goes y a))) atoms)
    (forallb (fun n0 ->
      Nat.eqb (nth n0 z0.exchanging O)
        (nth (nth n0 y.exchanging O) x.exchanging O))
      (seq O (length p.tiles)))

(** val nothing_on : puzzle -> atom list -> act -> bool **)

let nothing_on p atoms x =
  (&&)
    (forallb (fun a ->
      same (order_pair (order_list order_Z) order_nat) (goes x a) a) atoms)
    (forallb (fun n0 -> Nat.eqb (nth n0 x.exchanging O) n0)
      (seq O (length p.tiles)))

(** val undone_on : puzzle -> atom list -> act -> act -> bool **)

let undone_on p atoms x y =
  (&&)
    (forallb (fun a ->
      same (order_pair (order_list order_Z) order_nat) (goes y (goes x a)) a)
      atoms)
    (forallb (fun n0 ->
      Nat.eqb (nth (nth n0 x.exchanging O) y.exchanging O) n0)
      (seq O (length p.tiles)))

(** val is_group_on : puzzle -> atom list -> act list -> bool **)

let is_group_on p atoms xs =
  (&&) (existsb (nothing_on p atoms) xs)
    (forallb (fun x ->
      (&&) (existsb (undone_on p atoms x) xs)
        (forallb (fun y -> existsb (composed_on p atoms x y) xs) xs)) xs)

(** val is_group : puzzle -> placement list -> act list -> bool **)

let is_group p placements0 xs =
  is_group_on p (universe p placements0) xs

(** val residue0 : z -> z -> z **)

let residue0 m x =
  if Z.eqb m Z0 then x else Z.modulo x m

(** val add_values : z -> z list -> z list -> z list **)

let add_values m sums values =
  set_of order_Z
    (flat_map (fun v -> map (fun s -> residue0 m (Z.add s v)) sums) values)

(** val with_copies : z -> z list -> z -> nat -> nat -> z list -> z list **)

let rec with_copies m values fewest0 n0 room sums =
  app (if Z.leb fewest0 (Z.of_nat n0) then sums else [])
    (match room with
     | O -> []
     | S room0 ->
       with_copies m values fewest0 (S n0) room0 (add_values m sums values))

(** val reached : z -> ((z list * z) * nat) list -> z list -> z list **)

let rec reached m tiles0 sums =
  match tiles0 with
  | [] -> sums
  | p :: tiles1 ->
    let (p0, most0) = p in
    let (values, fewest0) = p0 in
    reached m tiles1
      (set_of order_Z (with_copies m values fewest0 O most0 sums))

(** val value : (atom -> z) -> placement -> z **)

let value w p =
  sum (map w (covers p))

(** val form_value : puzzle -> (atom -> z) -> z **)

let form_value p w =
  sum (map w (set_of (order_pair (order_list order_Z) order_nat) p.required))

(** val of_tile : placement list -> nat -> placement list **)

let of_tile t n0 =
  filter (fun p -> Nat.eqb (tile_of p) n0) t

(** val tile_values :
    puzzle -> (atom -> z) -> placement list -> nat -> (z list * z) * nat **)

let tile_values p w possible n0 =
  let limit = length (form_list p) in
  (((set_of order_Z
      (map (value w) (filter (fun p0 -> Nat.eqb (tile_of p0) n0) possible))),
  (tile_low p n0)),
  (match tile_high p n0 with
   | Some h -> Z.to_nat (Z.min h (Z.of_nat limit))
   | None -> limit))

(** val too_heavy : puzzle -> (atom -> z) -> z -> placement list -> bool **)

let too_heavy p w m possible =
  Stdlib.not
    (member order_Z (residue0 m (form_value p w))
      (reached m (map (tile_values p w possible) (seq O (length p.tiles)))
        (Z0 :: [])))

(** val exact_copies : puzzle -> nat -> z option **)

let exact_copies p n0 =
  match tile_high p n0 with
  | Some h -> if Z.eqb h (tile_low p n0) then Some h else None
  | None -> None

(** val free_weight : puzzle -> rule -> nat -> z **)

let free_weight p r n0 =
  match exact_copies p n0 with
  | Some _ -> Z0
  | None -> nth n0 r.tile_weights Z0

(** val bound_weight : puzzle -> rule -> nat -> z **)

let bound_weight p r n0 =
  match exact_copies p n0 with
  | Some k -> Z.mul k (nth n0 r.tile_weights Z0)
  | None -> Z0

(** val always_added : puzzle -> rule -> z **)

let always_added p r =
  Z.add
    (sum
      (map (atom_weight r)
        (set_of (order_pair (order_list order_Z) order_nat) p.required)))
    (sum (map (bound_weight p r) (seq O (length p.tiles))))

(** val subtracted : puzzle -> rule -> rule **)

let subtracted p r =
  { atom_weights =
    (filter (fun aw ->
      Stdlib.not
        (member (order_pair (order_list order_Z) order_nat) (Stdlib.fst aw)
          p.required)) r.atom_weights); tile_weights =
    (map (free_weight p r) (seq O (length p.tiles))); least =
    (Z.sub r.least (always_added p r)); most =
    (Z.sub r.most (always_added p r)); modulus = r.modulus; residue =
    (Z.sub r.residue (always_added p r)) }

(** val least_in : z list -> z **)

let least_in = function
| [] -> Z0
| x :: l0 -> fold_left Z.min l0 x

(** val most_in : z list -> z **)

let most_in = function
| [] -> Z0
| x :: l0 -> fold_left Z.max l0 x

(** val most_copies : puzzle -> placement list -> nat -> z **)

let most_copies p own n0 =
  let fewest0 = least_in (map (fun p0 -> Z.of_nat (length (covers p0))) own)
  in
  let few =
    Z.min (Z.of_nat (length own))
      (if Z.ltb Z0 fewest0
       then Z.div (Z.of_nat (length (form_list p))) fewest0
       else Z.of_nat (length own))
  in
  (match tile_high p n0 with
   | Some h -> Z.min h few
   | None -> few)

(** val tile_reach :
    puzzle -> placement list -> (placement -> z) -> nat -> z * z **)

let tile_reach p placements0 f n0 =
  let own = of_tile placements0 n0 in
  let a = least_in (map f own) in
  let b = most_in (map f own) in
  let fewest0 = tile_low p n0 in
  let most0 = most_copies p own n0 in
  ((Z.min (Z.mul a fewest0) (Z.mul a most0)),
  (Z.max (Z.mul b fewest0) (Z.mul b most0)))

(** val reach : puzzle -> placement list -> (placement -> z) -> z * z **)

let reach p placements0 f =
  let each0 = map (tile_reach p placements0 f) (seq O (length p.tiles)) in
  ((sum (map Stdlib.fst each0)), (sum (map Stdlib.snd each0)))

type saying =
| Always
| Never
| Between of (placement -> z) * z * z * z
| Modulo of (placement -> z) * z * z

(** val read_between :
    puzzle -> placement list -> (placement -> z) -> z -> z -> saying **)

let read_between p placements0 f low0 high0 =
  let (l, h) = reach p placements0 f in
  if (&&) (Z.leb low0 l) (Z.leb h high0)
  then Always
  else if (||) ((||) (Z.ltb h low0) (Z.ltb high0 l)) (Z.ltb high0 low0)
       then Never
       else Between (f, (Zpos XH), (Z.max low0 l), (Z.min high0 h))

(** val read_modulo :
    placement list -> (placement -> z) -> z -> z -> saying **)

let read_modulo placements0 f m rest0 =
  let d = Z.gcd (fold_right Z.gcd Z0 (map f placements0)) m in
  if Stdlib.not (Z.eqb (Z.modulo rest0 d) Z0)
  then Never
  else if Z.eqb (Z.div m d) (Zpos XH)
       then Always
       else Modulo ((fun p -> Z.modulo (Z.div (f p) d) (Z.div m d)),
              (Z.div m d), (Z.div rest0 d))

(** val read : puzzle -> placement list -> rule -> saying **)

let read p placements0 rule0 =
  let r = subtracted p rule0 in
  let common = fold_right Z.gcd Z0 (map (weight r) placements0) in
  if Z.eqb r.modulus Z0
  then if Z.eqb common Z0
       then if (&&) (Z.leb r.least Z0) (Z.leb Z0 r.most)
            then Always
            else Never
       else read_between p placements0 (fun p0 -> Z.div (weight r p0) common)
              (Z.opp (Z.div (Z.opp r.least) common)) (Z.div r.most common)
  else read_modulo placements0 (weight r) (Z.abs r.modulus) r.residue

(** val bound_items : puzzle -> placement list -> item list **)

let bound_items p placements0 =
  filter (fun i ->
    match (problem_of p placements0).greatest i with
    | Some k -> Z.eqb k ((problem_of p placements0).fewest i)
    | None -> false) (problem_of p placements0).items

(** val dot : bool list -> z list -> z **)

let rec dot m y =
  match m with
  | [] -> Z0
  | b :: m0 ->
    if b
    then (match y with
          | [] -> Z0
          | a :: y0 -> Z.add a (dot m0 y0))
    else (match y with
          | [] -> Z0
          | _ :: y0 -> dot m0 y0)

(** val combined : z -> z list -> z -> z list -> z list **)

let rec combined a y b z0 =
  match y with
  | [] -> []
  | x :: y0 ->
    (match z0 with
     | [] -> []
     | u :: z1 -> (Z.add (Z.mul a x) (Z.mul b u)) :: (combined a y0 b z1))

(** val lessened : z list -> z -> z list * z **)

let lessened y n0 =
  let g = fold_right Z.gcd n0 y in
  if Z.eqb g Z0 then (y, n0) else ((map (fun a -> Z.div a g) y), (Z.div n0 g))

(** val first_hit :
    bool list -> z list list -> z list list -> ((z list * z) * z list list)
    option **)

let rec first_hit m before0 = function
| [] -> None
| y :: rest1 ->
  let a = dot m y in
  if Z.eqb a Z0
  then first_hit m (y :: before0) rest1
  else Some ((y, a), (rev_append before0 rest1))

(** val pivots :
    (placement * bool list) list -> z list list -> (placement * (z list * z))
    list -> (placement * (z list * z)) list **)

let rec pivots pls rest0 made =
  match pls with
  | [] -> made
  | p0 :: pls0 ->
    let (p, m) = p0 in
    (match rest0 with
     | [] -> made
     | _ :: _ ->
       (match first_hit m [] rest0 with
        | Some p1 ->
          let (p2, rest1) = p1 in
          let (y, a) = p2 in
          let without0 = fun z0 ->
            let b = dot m z0 in
            if Z.eqb b Z0
            then z0
            else Stdlib.fst (lessened (combined a z0 (Z.opp b) y) Z0)
          in
          pivots pls0 (map without0 rest1) ((p, (y,
            a)) :: (map (fun qz ->
                     let b = dot m (Stdlib.fst (Stdlib.snd qz)) in
                     if Z.eqb b Z0
                     then qz
                     else ((Stdlib.fst qz),
                            (lessened
                              (combined a (Stdlib.fst (Stdlib.snd qz))
                                (Z.opp b) y)
                              (Z.mul a (Stdlib.snd (Stdlib.snd qz)))))) made))
        | None -> pivots pls0 rest0 made))

(** val find_pivots :
    puzzle -> placement list -> (placement * (z list * z)) list **)

let find_pivots p placements0 =
  let n0 = length (bound_items p placements0) in
  if (&&)
       (Z.leb (Z.of_nat n0) (Zpos (XO (XO (XO (XO (XI (XO (XO (XI XH))))))))))
       (Z.leb
         (Z.mul (Z.mul (Z.of_nat n0) (Z.of_nat n0))
           (Z.of_nat (length placements0))) (Zpos (XO (XO (XO (XO (XO (XO (XO
         (XO (XI (XO (XI (XO (XO (XI (XI (XO (XI (XO (XI (XI (XO (XO (XI (XI
         (XI (XO (XI (XI XH))))))))))))))))))))))))))))))
  then pivots
         (map (fun p0 -> (p0,
           (map (covers_item p0) (bound_items p placements0)))) placements0)
         (map (fun i ->
           map (fun j -> if Nat.eqb i j then Zpos XH else Z0) (seq O n0))
           (seq O n0)) []
  else []

(** val common_multiple : (placement * (z list * z)) list -> z **)

let common_multiple found =
  fold_right (fun qz n0 -> Z.lcm (Stdlib.snd (Stdlib.snd qz)) n0) (Zpos XH)
    found

(** val item_weights :
    puzzle -> placement list -> (placement * (z list * z)) list -> z ->
    (placement -> z) -> (item * z) list **)

let item_weights p placements0 found d f =
  filter (fun iw -> Stdlib.not (Z.eqb (Stdlib.snd iw) Z0))
    (combine (bound_items p placements0)
      (fold_left (fun sums qz ->
        combined (Zpos XH) sums
          (Z.mul (f (Stdlib.fst qz)) (Z.div d (Stdlib.snd (Stdlib.snd qz))))
          (Stdlib.fst (Stdlib.snd qz))) found
        (map (fun _ -> Z0) (bound_items p placements0))))

(** val weighed : (item * z) list -> placement -> z **)

let weighed ws p =
  sum (map Stdlib.snd (filter (fun iw -> covers_item p (Stdlib.fst iw)) ws))

(** val signed_divisor : z list -> z **)

let signed_divisor l =
  let g = fold_right Z.gcd Z0 l in
  (match find (fun x -> Stdlib.not (Z.eqb x Z0)) l with
   | Some x -> if Z.ltb x Z0 then Z.opp g else g
   | None -> g)

(** val canonical :
    puzzle -> placement list -> (placement * (z list * z)) list -> saying ->
    saying **)

let canonical p placements0 found s = match s with
| Between (f, d, low0, high0) ->
  let n0 = common_multiple found in
  let ws = item_weights p placements0 found n0 f in
  let left = fun p0 -> Z.sub (Z.mul n0 (f p0)) (weighed ws p0) in
  let always =
    sum
      (map (fun iw ->
        Z.mul (Stdlib.snd iw)
          ((problem_of p placements0).fewest (Stdlib.fst iw))) ws)
  in
  let g = signed_divisor (map left placements0) in
  let l = Z.sub (Z.mul n0 low0) (Z.mul d always) in
  let h = Z.sub (Z.mul n0 high0) (Z.mul d always) in
  if Z.leb n0 Z0
  then s
  else if Z.eqb g Z0
       then if (&&) (Z.leb l Z0) (Z.leb Z0 h) then Always else Never
       else if Z.ltb Z0 g
            then Between ((fun p0 -> Z.div (left p0) g), (Z.mul d g), l, h)
            else Between ((fun p0 -> Z.div (left p0) g), (Z.mul d (Z.opp g)),
                   (Z.opp h), (Z.opp l))
| Modulo (f, m, rest0) ->
  let n0 = common_multiple found in
  let ws = item_weights p placements0 found n0 f in
  let always =
    sum
      (map (fun iw ->
        Z.mul (Stdlib.snd iw)
          ((problem_of p placements0).fewest (Stdlib.fst iw))) ws)
  in
  if (&&) (Z.ltb Z0 m) (Z.eqb (Z.gcd m n0) (Zpos XH))
  then read_modulo placements0 (fun p0 ->
         Z.sub (Z.mul n0 (f p0)) (weighed ws p0)) m
         (Z.sub (Z.mul n0 rest0) always)
  else s
| _ -> s

type told =
| Bounds of z list * z * z * z
| Rest of z list * z * z

(** val tell : placement list -> saying -> told list **)

let tell placements0 = function
| Between (f, d, low0, high0) ->
  (Bounds ((map f placements0), d, low0, high0)) :: []
| Modulo (f, m, rest0) -> (Rest ((map f placements0), m, rest0)) :: []
| _ -> []

(** val all_pairs : (z -> z -> bool) -> z list -> z list -> bool **)

let all_pairs test v w =
  forallb (fun xy -> test (Stdlib.fst xy) (Stdlib.snd xy)) (combine v w)

(** val units : z -> z list **)

let units m =
  if Z.leb m (Zpos (XO (XO (XI (XI (XI XH))))))
  then map Z.of_nat (seq (S O) (Z.to_nat m))
  else (Zpos XH) :: ((Zneg XH) :: [])

(** val same_told : told -> told -> bool **)

let same_told a b =
  match a with
  | Bounds (v, d, l, h) ->
    (match b with
     | Bounds (w, d', l', h') ->
       (&&) ((&&) (Z.ltb Z0 d) (Z.ltb Z0 d'))
         ((||)
           ((&&)
             ((&&) (Z.eqb (Z.mul l d') (Z.mul l' d))
               (Z.eqb (Z.mul h d') (Z.mul h' d))) (all_pairs Z.eqb v w))
           ((&&)
             ((&&) (Z.eqb (Z.mul l d') (Z.mul (Z.opp h') d))
               (Z.eqb (Z.mul h d') (Z.mul (Z.opp l') d)))
             (all_pairs (fun x y -> Z.eqb x (Z.opp y)) v w)))
     | Rest (_, _, _) -> false)
  | Rest (v, m, r) ->
    (match b with
     | Bounds (_, _, _, _) -> false
     | Rest (w, m', r') ->
       (&&) (Z.eqb m m')
         (existsb (fun u ->
           (&&)
             ((&&) (Z.eqb (Z.gcd u m) (Zpos XH))
               (Z.eqb (Z.modulo (Z.sub r (Z.mul u r')) m) Z0))
             (all_pairs (fun x y ->
               Z.eqb (Z.modulo (Z.sub x (Z.mul u y)) m) Z0) v w)) (units m)))

(** val is_never : saying -> bool **)

let is_never = function
| Never -> true
| _ -> false

(** val same_said :
    placement list -> (bool * told list) -> saying list -> bool **)

let same_said placements0 before0 after0 =
  let now = flat_map (tell placements0) after0 in
  (&&) (eqb (Stdlib.fst before0) (existsb is_never after0))
    ((||) (Stdlib.fst before0)
      ((&&)
        (forallb (fun a -> existsb (same_told a) (Stdlib.snd before0)) now)
        (forallb (fun b -> existsb (fun a -> same_told a b) now)
          (Stdlib.snd before0))))

(** val tell_all : placement list -> saying list -> bool * told list **)

let tell_all placements0 said =
  ((existsb is_never said), (flat_map (tell placements0) said))

(** val said_after : act -> saying -> saying **)

let said_after x s = match s with
| Between (f, d, low0, high0) ->
  Between ((fun p -> f (image_of x p)), d, low0, high0)
| Modulo (f, m, rest0) -> Modulo ((fun p -> f (image_of x p)), m, rest0)
| _ -> s

(** val keepers : puzzle -> placement list -> act list -> act -> bool **)

let keepers p placements0 motions =
  let said = map (read p placements0) p.rules in
  let before0 = tell_all placements0 said in
  let soon = fun x -> same_said placements0 before0 (map (said_after x) said)
  in
  if forallb soon motions
  then soon
  else let found = find_pivots p placements0 in
       let before1 =
         tell_all placements0 (map (canonical p placements0 found) said)
       in
       (fun x ->
       (||) (soon x)
         (same_said placements0 before1
           (map (fun s -> canonical p placements0 found (said_after x s))
             said)))

(** val order_int : Uint63.t order **)

let order_int a b =
  if eqb0 a b then Eq else if leb0 a b then Lt else Gt

type counts = { count_found : z; count_all : z; count_labelled : z;
                count_distinct : z; unrefuted : act list }

(** val none_yet : act list -> counts **)

let none_yet suspects =
  { count_found = Z0; count_all = Z0; count_labelled = Z0; count_distinct =
    Z0; unrefuted = suspects }

(** val not_refuted : ('a1 -> act -> bool) -> 'a1 -> act list -> act list **)

let not_refuted refutes x suspects =
  filter (fun d -> Stdlib.not (refutes x d)) suspects

(** val first_of : 'a1 order -> 'a1 -> 'a1 list -> 'a1 **)

let first_of oA d = function
| [] -> d
| x :: l0 ->
  fold_left (fun m y -> match compare0 oA y m with
                        | Lt -> y
                        | _ -> m) l0 x

(** val set_before :
    'a1 order -> 'a1 -> 'a1 list -> 'a1 list -> 'a1 -> bool **)

let set_before oA d l m m_first =
  match compare0 oA (first_of oA d l) m_first with
  | Eq -> before (order_list oA) (set_of oA l) (set_of oA m)
  | Lt -> true
  | Gt -> false

type image0 = Uint63.t * bool

(** val column : image0 list list -> image0 list **)

let column images =
  map (hd ((Uint63.of_int (0)), true)) images

(** val none_before :
    'a1 list -> image0 list list -> Uint63.t list -> Uint63.t -> bool **)

let rec none_before acts images own own_first =
  match acts with
  | [] -> true
  | _ :: acts0 ->
    let c = column images in
    (&&)
      (Stdlib.not
        ((&&) (forallb Stdlib.snd c)
          (set_before order_int (Uint63.of_int (0)) (map Stdlib.fst c) own
            own_first))) (none_before acts0 (map tl images) own own_first)

(** val all_keys : 'a1 list -> image0 list list -> Uint63.t list list **)

let rec all_keys acts images =
  match acts with
  | [] -> []
  | _ :: acts0 ->
    (set_of order_int (map Stdlib.fst (column images))) :: (all_keys acts0
                                                             (map tl images))

(** val images_of :
    ('a1 -> 'a2 -> image0) -> 'a1 list -> 'a2 -> image0 list **)

let images_of f acts b =
  map (fun x -> f x b) acts

(** val coded :
    (placement -> Uint63.t) -> (placement -> bool) -> placement -> image0 **)

let coded code allowed p =
  ((code p), (allowed p))

(** val entry :
    act list -> (placement -> Uint63.t) -> (placement -> bool) -> placement
    -> Uint63.t * image0 list **)

let entry acts code allowed p =
  ((code p),
    (images_of (fun x p0 -> coded code allowed (image_of x p0)) acts p))

(** val entries_least : act list -> (Uint63.t * image0 list) list -> bool **)

let entries_least acts es =
  let own = map Stdlib.fst es in
  none_before acts (map Stdlib.snd es) own
    (first_of order_int (Uint63.of_int (0)) own)

(** val entries_size : act list -> (Uint63.t * image0 list) list -> z **)

let entries_size acts es =
  Z.of_nat
    (length
      (set_of (order_list order_int) (all_keys acts (map Stdlib.snd es))))

type tables = { its_placements : placement list; known : (placement -> bool);
                place_of : (placement -> place0); spot_of : (item -> place0);
                number_of : (placement -> positive); rows : row0 list;
                branches : branch0 list }

(** val gather : 'a1 order -> ('a1 * 'a2) list -> ('a1 * 'a2 list) list **)

let rec gather h = function
| [] -> []
| p :: l0 ->
  let (k, v) = p in
  (match gather h l0 with
   | [] -> (k, (v :: [])) :: []
   | p0 :: rest0 ->
     let (k', vs) = p0 in
     if same h k k'
     then (k, (v :: vs)) :: rest0
     else (k, (v :: [])) :: ((k', vs) :: rest0))

(** val numbers : 'a1 list -> ('a1 * z) list **)

let numbers l =
  combine l (map Z.of_nat (seq O (length l)))

(** val all_shown :
    (z -> place0) -> (placement * z) list -> (atom * shown list) list **)

let all_shown number_place numbered0 =
  let marked =
    set_of
      (order_pair
        (order_pair
          (order_pair (order_pair (order_list order_Z) order_nat)
            (order_pair (order_list order_Z) order_nat)) order_Z) order_Z)
      (flat_map (fun x ->
        map (fun m -> (m, (Stdlib.snd x)))
          (filter (fun m ->
            Stdlib.not
              (same (order_pair (order_list order_Z) order_nat) (side m)
                (face m))) (shows (Stdlib.fst x)))) numbered0)
  in
  gather (order_pair (order_list order_Z) order_nat)
    (map (fun ms -> ((side (Stdlib.fst ms)), ((Stdlib.fst ms),
      (set_of_places (map number_place (Stdlib.snd ms))))))
      (gather
        (order_pair
          (order_pair (order_pair (order_list order_Z) order_nat)
            (order_pair (order_list order_Z) order_nat)) order_Z) marked))

(** val prepare : puzzle -> tables option **)

let prepare p =
  let form_index = index_of (map (fun a -> (a, ())) (form_list p)) in
  let inside0 = fun a ->
    match find0 (order_pair (order_list order_Z) order_nat) a form_index with
    | Some _ -> true
    | None -> false
  in
  if Stdlib.not ((&&) (data_ok p inside0) (sides_ok p))
  then None
  else let pls = placements p inside0 in
       let pls_index =
         index_of
           (set_of
             (order_pair
               (order_pair order_nat
                 (order_pair
                   (order_list (order_pair (order_list order_Z) order_nat))
                   (order_list
                     (order_pair
                       (order_pair
                         (order_pair (order_list order_Z) order_nat)
                         (order_pair (order_list order_Z) order_nat)) order_Z))))
               order_Z) (numbers pls))
       in
       let depth = depth_for (length pls) in
       let place_of0 = fun p0 ->
         place_number depth
           (match find0
                    (order_pair order_nat
                      (order_pair
                        (order_list
                          (order_pair (order_list order_Z) order_nat))
                        (order_list
                          (order_pair
                            (order_pair
                              (order_pair (order_list order_Z) order_nat)
                              (order_pair (order_list order_Z) order_nat))
                            order_Z)))) p0 pls_index with
            | Some n0 -> n0
            | None -> Z0)
       in
       let numbered0 = map (fun p0 -> (p0, (place_of0 p0))) pls in
       let atoms = app p.required p.optional in
       let atom_index =
         index_of
           (set_of
             (order_pair (order_pair (order_list order_Z) order_nat) order_Z)
             (numbers atoms))
       in
       let item_depth = depth_for (add (length atoms) (length p.tiles)) in
       let spot_of0 = fun i ->
         place_number item_depth
           (match i with
            | Required a ->
              (match find0 (order_pair (order_list order_Z) order_nat) a
                       atom_index with
               | Some n0 -> n0
               | None -> Z0)
            | Optional a ->
              (match find0 (order_pair (order_list order_Z) order_nat) a
                       atom_index with
               | Some n0 -> n0
               | None -> Z0)
            | Tile n0 -> Z.of_nat (add (length atoms) n0))
       in
       let infos = map (make_info p numbered0 spot_of0) (all_items p) in
       let leaves =
         fold_left (fun t x ->
           Trie.add (Stdlib.fst (Stdlib.snd x)) (Stdlib.snd (Stdlib.snd x))
             (Stdlib.fst x) t) numbered0 Trie.TEmpty
       in
       let sides = all_shown (place_number depth) (numbers pls) in
       let side_index = index_of sides in
       let shown_on = fun s ->
         match find0 (order_pair (order_list order_Z) order_nat) s side_index with
         | Some l -> l
         | None -> []
       in
       let number_of0 = fun p0 ->
         match find0
                 (order_pair order_nat
                   (order_pair
                     (order_list (order_pair (order_list order_Z) order_nat))
                     (order_list
                       (order_pair
                         (order_pair
                           (order_pair (order_list order_Z) order_nat)
                           (order_pair (order_list order_Z) order_nat))
                         order_Z)))) p0 pls_index with
         | Some n0 -> Z.to_pos (Z.add n0 (Zpos XH))
         | None -> XH
       in
       let rows0 = map (make_row p number_of0 infos shown_on) numbered0 in
       let branches0 = map (make_branch rows0) infos in
       if (&&)
            ((&&)
              ((&&)
                ((&&)
                  ((&&)
                    (Nat.eqb
                      (length
                        (set_of
                          (order_pair order_nat
                            (order_pair
                              (order_list
                                (order_pair (order_list order_Z) order_nat))
                              (order_list
                                (order_pair
                                  (order_pair
                                    (order_pair (order_list order_Z)
                                      order_nat)
                                    (order_pair (order_list order_Z)
                                      order_nat)) order_Z)))) pls))
                      (length pls)) (apart_ok numbered0 leaves))
                  (infos_ok numbered0 infos)) (shown_ok numbered0 sides))
              (forallb (row_ok infos) rows0))
            (forallb (choices_ok rows0) branches0)
       then Some { its_placements = pls; known = (fun p0 ->
              match find0
                      (order_pair order_nat
                        (order_pair
                          (order_list
                            (order_pair (order_list order_Z) order_nat))
                          (order_list
                            (order_pair
                              (order_pair
                                (order_pair (order_list order_Z) order_nat)
                                (order_pair (order_list order_Z) order_nat))
                              order_Z)))) p0 pls_index with
              | Some _ -> true
              | None -> false); place_of = place_of0; spot_of = spot_of0;
              number_of = number_of0; rows = rows0; branches = branches0 }
       else None

(** val corner : atom list -> point **)

let corner = function
| [] -> []
| a :: l0 ->
  fold_left (fun v b -> least_of v (Stdlib.fst b)) l0 (Stdlib.fst a)

(** val firsts_of :
    puzzle -> placement list -> (nat * placement option) list **)

let firsts_of p pls =
  map (fun n0 -> (n0, (find (fun p0 -> Nat.eqb (tile_of p0) n0) pls)))
    (seq O (length p.tiles))

(** val find_act :
    puzzle -> tables -> (nat * placement option) list -> symmetry -> act **)

let find_act p t firsts0 g =
  let form = form_list p in
  let v =
    minus (corner form) (corner (map (move g (zero (dimension p))) form))
  in
  { by_symmetry = g; by_vector = v; exchanging =
  (map (fun np ->
    match Stdlib.snd np with
    | Some p0 ->
      let q = image_of { by_symmetry = g; by_vector = v; exchanging = [] } p0
      in
      (match find (fun m -> t.known (m, (Stdlib.snd q)))
               ((Stdlib.fst np) :: (map Stdlib.fst firsts0)) with
       | Some m -> m
       | None -> Stdlib.fst np)
    | None -> Stdlib.fst np) firsts0) }

(** val find_motions : puzzle -> tables -> act list **)

let find_motions p t =
  let firsts0 = firsts_of p t.its_placements in
  filter (takes_coverings p t.its_placements t.known)
    (map (find_act p t firsts0) p.symmetries)

(** val sorted_motions : puzzle -> tables -> act list * act list **)

let sorted_motions p t =
  let motions = find_motions p t in
  partition (keepers p t.its_placements motions) motions

(** val all_found : puzzle -> tables -> bool **)

let all_found p t =
  let pls =
    set_of
      (order_pair order_nat
        (order_pair (order_list (order_pair (order_list order_Z) order_nat))
          (order_list
            (order_pair
              (order_pair (order_pair (order_list order_Z) order_nat)
                (order_pair (order_list order_Z) order_nat)) order_Z))))
      t.its_placements
  in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          (Nat.eqb
            (length
              (set_of
                (order_pair
                  (order_list (order_pair (order_list order_Z) order_nat))
                  (order_list
                    (order_pair
                      (order_pair (order_pair (order_list order_Z) order_nat)
                        (order_pair (order_list order_Z) order_nat)) order_Z)))
                (map Stdlib.snd pls))) (length pls))
          (forallb (fun np ->
            match Stdlib.snd np with
            | Some _ -> true
            | None -> false) (firsts_of p t.its_placements)))
        (match form_list p with
         | [] -> false
         | _ :: _ -> true))
      (forallb (fun ac ->
        member (order_pair (order_list order_Z) order_nat) (Stdlib.fst ac)
          (form_list p)) p.coloured)) (forallb t.known t.its_placements)

(** val forall_below : nat -> (nat -> bool) -> bool **)

let forall_below n0 f =
  forallb f (seq O n0)

(** val lattice_b : puzzle -> bool **)

let lattice_b p =
  let d = dimension p in
  (&&)
    ((&&) ((||) (Nat.eqb d (S (S O))) (Nat.eqb d (S (S (S O)))))
      (forall_below d (fun i ->
        forall_below d (fun j ->
          Z.eqb (inner p (basis d i) (basis d j))
            (inner p (basis d j) (basis d i))))))
    (forall_below d (fun k ->
      Z.ltb Z0 (determinant (map (firstn (S k)) (firstn (S k) p.gram)))))

(** val same_members : 'a1 order -> 'a1 list -> 'a1 list -> bool **)

let same_members h l m =
  same (order_list h) (set_of h l) (set_of h m)

(** val taken_by : puzzle -> symmetry -> point -> nat -> bool **)

let taken_by p g translation n0 =
  let here0 = ((zero (dimension p)), n0) in
  let there = move g (zero (dimension p)) here0 in
  (&&) (same_kind p here0 there)
    (same_members (order_list order_Z) (corners p there)
      (map (fun y -> plus (apply g.matrix y) translation) (corners p here0)))

(** val translations : puzzle -> symmetry -> point list **)

let translations p g =
  let here0 = ((zero (dimension p)), O) in
  (match corners p here0 with
   | [] -> []
   | y :: _ ->
     map (fun x -> minus x (apply g.matrix y))
       (corners p (move g (zero (dimension p)) here0)))

(** val isometry_b : puzzle -> symmetry -> bool **)

let isometry_b p g =
  let d = dimension p in
  (&&)
    ((&&)
      ((&&) (Nat.eqb (length g.matrix) d)
        (forallb (fun row1 -> Nat.eqb (length row1) d) g.matrix))
      (forall_below d (fun i ->
        forall_below d (fun j ->
          Z.eqb
            (inner p (apply g.matrix (basis d i))
              (apply g.matrix (basis d j))) (inner p (basis d i) (basis d j))))))
    (existsb (fun translation ->
      forall_below (length p.cell) (taken_by p g translation))
      (translations p g))

(** val is_atom_b : puzzle -> atom -> bool **)

let is_atom_b p a =
  (&&) (has_dimension (dimension p) a)
    (Nat.ltb (Stdlib.snd a) (length p.cell))

(** val places_differ_b : puzzle -> bool **)

let places_differ_b p =
  forall_below (length p.cell) (fun n0 ->
    let b = ((zero (dimension p)), n0) in
    (match corners p b with
     | [] -> false
     | x :: _ ->
       forallb (fun a ->
         (||) (same (order_pair (order_list order_Z) order_nat) a b)
           (Stdlib.not
             ((&&) (same_kind p a b)
               (same_members (order_list order_Z) (corners p a) (corners p b)))))
         (atoms_at p x)))

(** val translated : puzzle -> point -> nat -> bool **)

let translated p u n0 =
  let here0 = ((zero (dimension p)), n0) in
  let there = map (fun y -> plus y u) (corners p here0) in
  (match there with
   | [] -> false
   | x :: _ ->
     existsb (fun a ->
       (&&) (same_kind p a here0)
         (same_members (order_list order_Z) (corners p a) there))
       (atoms_at p x))

(** val of_the_lattice : puzzle -> point -> bool **)

let of_the_lattice p u =
  same (order_list order_Z) u (times p.unit1 (divided p.unit1 u))

(** val missing_translation : puzzle -> point option **)

let missing_translation p =
  match corners p ((zero (dimension p)), O) with
  | [] -> Some []
  | y :: _ ->
    find (fun u ->
      (&&) (Stdlib.not (of_the_lattice p u))
        (forall_below (length p.cell) (translated p u)))
      (map (fun k -> minus k y) (flat_map Stdlib.snd p.cell))

(** val is_grid_b : puzzle -> bool **)

let is_grid_b p =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) ((&&) (lattice_b p) (forallb (isometry_b p) p.symmetries))
              (cell_ok p)) (places_differ_b p))
          (match missing_translation p with
           | Some _ -> false
           | None -> true))
        (forallb (is_atom_b p) (app p.required p.optional)))
      (Nat.eqb
        (length
          (set_of (order_pair (order_list order_Z) order_nat)
            (app p.required p.optional)))
        (length (app p.required p.optional))))
    (forallb (fun t -> forallb (is_atom_b p) t.body) p.tiles)

(** val single_copies : puzzle -> bool **)

let single_copies p =
  forallb (fun t ->
    match t.ranges with
    | [] -> false
    | p0 :: l ->
      let (_, o) = p0 in
      (match o with
       | Some h -> (match l with
                    | [] -> Z.leb h (Zpos XH)
                    | _ :: _ -> false)
       | None -> false)) p.tiles

(** val tile_ok : tile -> bool **)

let tile_ok t =
  (&&)
    (forallb (fun r ->
      match Stdlib.snd r with
      | Some h -> (&&) (Z.leb Z0 h) (Z.leb (Stdlib.fst r) h)
      | None -> false) t.ranges)
    ((||)
      ((||) (Nat.eqb (length t.ranges) (S O))
        (forallb (fun r -> Z.leb (Stdlib.fst r) Z0) t.ranges))
      (match high t with
       | Some h -> Z.eqb h (low t)
       | None -> false))

(** val labels_ok : puzzle -> bool **)

let labels_ok p =
  forallb tile_ok p.tiles

(** val supply : puzzle -> nat -> z **)

let supply p n0 =
  match nth_error p.tiles n0 with
  | Some t -> (match high t with
               | Some h -> h
               | None -> Z0)
  | None -> Z0

(** val ways : puzzle -> placement list -> z **)

let rec ways p = function
| [] -> Zpos XH
| p0 :: others ->
  Z.mul (Z.sub (supply p (tile_of p0)) (copies (tile_of p0) others))
    (ways p others)

(** val range : z -> z list **)

let range b =
  map (fun k -> Z.sub (Z.of_nat k) b)
    (seq O (Z.to_nat (Z.add (Z.mul (Zpos (XO XH)) b) (Zpos XH))))

(** val box : nat -> z list -> point list **)

let rec box d r =
  match d with
  | O -> [] :: []
  | S d0 -> flat_map (fun x -> map (fun x0 -> x :: x0) (box d0 r)) r

(** val bound_ok : puzzle -> z -> bool **)

let bound_ok p b =
  (&&) (Z.leb Z0 b)
    (let far = fun g minor det ->
       Z.ltb (Z.mul g minor)
         (Z.mul det (Z.mul (Z.add b (Zpos XH)) (Z.add b (Zpos XH))))
     in
     match p.gram with
     | [] -> false
     | p0 :: l ->
       (match p0 with
        | [] -> false
        | a1 :: l0 ->
          (match l0 with
           | [] -> false
           | a2 :: l1 ->
             (match l1 with
              | [] ->
                (match l with
                 | [] -> false
                 | p1 :: l2 ->
                   (match p1 with
                    | [] -> false
                    | b1 :: l3 ->
                      (match l3 with
                       | [] -> false
                       | b2 :: l4 ->
                         (match l4 with
                          | [] ->
                            (match l2 with
                             | [] ->
                               let det = Z.sub (Z.mul a1 b2) (Z.mul a2 a2) in
                               (&&)
                                 ((&&)
                                   ((&&) ((&&) (Z.eqb a2 b1) (Z.ltb Z0 a1))
                                     (Z.ltb Z0 b2)) (Z.ltb Z0 det))
                                 (forallb (fun g ->
                                   (&&) (far g a1 det) (far g b2 det))
                                   (a1 :: (b2 :: [])))
                             | _ :: _ -> false)
                          | _ :: _ -> false))))
              | a3 :: l2 ->
                (match l2 with
                 | [] ->
                   (match l with
                    | [] -> false
                    | p1 :: l3 ->
                      (match p1 with
                       | [] -> false
                       | b1 :: l4 ->
                         (match l4 with
                          | [] -> false
                          | b2 :: l5 ->
                            (match l5 with
                             | [] -> false
                             | b3 :: l6 ->
                               (match l6 with
                                | [] ->
                                  (match l3 with
                                   | [] -> false
                                   | p2 :: l7 ->
                                     (match p2 with
                                      | [] -> false
                                      | c1 :: l8 ->
                                        (match l8 with
                                         | [] -> false
                                         | c2 :: l9 ->
                                           (match l9 with
                                            | [] -> false
                                            | c3 :: l10 ->
                                              (match l10 with
                                               | [] ->
                                                 (match l7 with
                                                  | [] ->
                                                    let det =
                                                      Z.add
                                                        (Z.sub
                                                          (Z.mul a1
                                                            (Z.sub
                                                              (Z.mul b2 c3)
                                                              (Z.mul b3 b3)))
                                                          (Z.mul a2
                                                            (Z.sub
                                                              (Z.mul a2 c3)
                                                              (Z.mul a3 b3))))
                                                        (Z.mul a3
                                                          (Z.sub
                                                            (Z.mul a2 b3)
                                                            (Z.mul a3 b2)))
                                                    in
                                                    let m3 =
                                                      Z.sub (Z.mul a1 b2)
                                                        (Z.mul a2 a2)
                                                    in
                                                    let m2 =
                                                      Z.sub (Z.mul a1 c3)
                                                        (Z.mul a3 a3)
                                                    in
                                                    let m1 =
                                                      Z.sub (Z.mul b2 c3)
                                                        (Z.mul b3 b3)
                                                    in
                                                    (&&)
                                                      ((&&)
                                                        ((&&)
                                                          ((&&)
                                                            ((&&)
                                                              ((&&)
                                                                ((&&)
                                                                  ((&&)
                                                                    ((&&)
                                                                    ((&&)
                                                                    (Z.eqb a2
                                                                    b1)
                                                                    (Z.eqb a3
                                                                    c1))
                                                                    (Z.eqb b3
                                                                    c2))
                                                                    (Z.ltb Z0
                                                                    a1))
                                                                  (Z.ltb Z0
                                                                    b2))
                                                                (Z.ltb Z0 c3))
                                                              (Z.ltb Z0 m1))
                                                            (Z.ltb Z0 m2))
                                                          (Z.ltb Z0 m3))
                                                        (Z.ltb Z0 det))
                                                      (forallb (fun g ->
                                                        (&&)
                                                          ((&&)
                                                            (far g m1 det)
                                                            (far g m2 det))
                                                          (far g m3 det))
                                                        (a1 :: (b2 :: (c3 :: []))))
                                                  | _ :: _ -> false)
                                               | _ :: _ -> false)))))
                                | _ :: _ -> false)))))
                 | _ :: _ -> false)))))

(** val transposed : nat -> point list -> point list **)

let transposed d columns =
  map (fun k -> map (fun c -> nth k c Z0) columns) (seq O d)

(** val choose : point list list -> point list list **)

let rec choose = function
| [] -> [] :: []
| l :: ls0 -> flat_map (fun v -> map (fun x -> v :: x) (choose ls0)) l

(** val images_of0 : puzzle -> z -> nat -> point list **)

let images_of0 p b i =
  let d = dimension p in
  filter (fun v -> Z.eqb (inner p v v) (inner p (basis d i) (basis d i)))
    (box d (range b))

(** val keeps_products : puzzle -> point list -> bool **)

let keeps_products p m =
  let d = dimension p in
  forall_below d (fun i ->
    forall_below d (fun j ->
      Z.eqb (inner p (apply m (basis d i)) (apply m (basis d j)))
        (inner p (basis d i) (basis d j))))

(** val matrices : puzzle -> z -> point list list **)

let matrices p b =
  filter (keeps_products p)
    (map (transposed (dimension p))
      (choose (map (images_of0 p b) (seq O (dimension p)))))

(** val takes_atoms_b : puzzle -> symmetry -> bool **)

let takes_atoms_b p g =
  (&&)
    ((&&)
      ((&&) (Nat.eqb (length g.image) (length p.cell))
        (Nat.eqb (length g.shift) (length p.cell)))
      (forallb (fun n0 -> Nat.ltb n0 (length p.cell)) g.image))
    (forallb (fun v -> Nat.eqb (length v) (dimension p)) g.shift)

(** val target : puzzle -> point list -> point -> nat -> point list **)

let target p m v n0 =
  map (fun y -> plus (apply m y) v) (corners p ((zero (dimension p)), n0))

(** val atoms_there : puzzle -> point list -> point -> nat -> atom list **)

let atoms_there p m v n0 =
  match target p m v n0 with
  | [] -> []
  | x :: _ ->
    filter (fun a ->
      (&&) (same_kind p a ((zero (dimension p)), n0))
        (same_members (order_list order_Z) (corners p a) (target p m v n0)))
      (atoms_at p x)

(** val is_stated : puzzle -> point list -> point -> bool **)

let is_stated p m v =
  existsb (fun h ->
    (&&) (same (order_list (order_list order_Z)) h.matrix m)
      (existsb (fun a ->
        let w =
          minus (Stdlib.fst a)
            (Stdlib.fst
              (move h (zero (dimension p)) ((zero (dimension p)), O)))
        in
        (&&) (Nat.eqb (length w) (dimension p))
          (forall_below (length p.cell) (fun n0 ->
            same_members (order_list order_Z)
              (corners p (move h w ((zero (dimension p)), n0)))
              (target p m v n0)))) (atoms_there p m v O))) p.symmetries

(** val motion_known : puzzle -> point list -> point -> bool **)

let motion_known p m v =
  (||)
    (existsb (fun n0 ->
      match atoms_there p m v n0 with
      | [] -> true
      | _ :: _ -> false) (seq O (length p.cell))) (is_stated p m v)

(** val complete_within : puzzle -> z -> bool **)

let complete_within p b =
  (&&) ((&&) (bound_ok p b) (forallb (takes_atoms_b p) p.symmetries))
    (match corners p ((zero (dimension p)), O) with
     | [] -> false
     | y :: _ ->
       forallb (fun m ->
         forallb (fun k -> motion_known p m (minus k (apply m y)))
           (flat_map Stdlib.snd p.cell)) (matrices p b))

(** val complete_b : puzzle -> bool **)

let complete_b p =
  match find (bound_ok p)
          (map Z.of_nat
            (seq (S O) (S (S (S (S (S (S (S (S (S (S (S (S O)))))))))))))) with
  | Some b -> complete_within p b
  | None -> false

type single0 =
| Single_tile of nat
| Single_atom of atom

type hints = { kept : (single0 * z list) option; removals : (z * z) list;
               starved : bool; weights : ((z * z) list * z) option }

type 'stream outcome = { placements_found : nat;
                         symmetries_found : symmetry list;
                         perhaps_symmetries : symmetry list;
                         solutions_found : z; counted_labelled : z option;
                         counted_all : z; counted_distinct : z option;
                         rest : 'stream }

(** val numbered_things : 'a1 list -> (z, 'a1) index **)

let numbered_things l =
  index_of (combine (map Z.of_nat (seq O (length l))) l)

(** val starved_branch : branch0 list -> set0 option -> branch0 option **)

let starved_branch branches0 = function
| Some p0 ->
  find (fun b ->
    Z.ltb (Z.of_nat (length (Trie.pick b.Search.choices p0))) b.Search.need)
    branches0
| None -> None

(** val its : single0 -> placement -> bool **)

let its i p =
  match i with
  | Single_tile n0 -> Nat.eqb (tile_of p) n0
  | Single_atom a ->
    member (order_pair (order_list order_Z) order_nat) a (covers p)

(** val used_once : puzzle -> single0 -> bool **)

let used_once p = function
| Single_tile n0 ->
  (&&) (Z.eqb (tile_low p n0) (Zpos XH))
    (high_same (tile_high p n0) (Some (Zpos XH)))
| Single_atom a ->
  member (order_pair (order_list order_Z) order_nat) a p.required

(** val kept_ok :
    puzzle -> act list -> placement list -> single0 -> placement list -> bool **)

let kept_ok p acts pls i stand =
  (&&) ((&&) (used_once p i) (forallb (its i) stand))
    (forallb (fun p0 ->
      (||) (Stdlib.not (its i p0))
        (existsb (fun x ->
          member
            (order_pair order_nat
              (order_pair
                (order_list (order_pair (order_list order_Z) order_nat))
                (order_list
                  (order_pair
                    (order_pair (order_pair (order_list order_Z) order_nat)
                      (order_pair (order_list order_Z) order_nat)) order_Z))))
            (image_of x p0) stand) acts)) pls)

(** val weight_of : puzzle -> (z * z) list -> atom -> z **)

let weight_of p pairs =
  let atoms = numbered_things p.required in
  let heavy =
    index_of
      (set_of
        (order_pair (order_pair (order_list order_Z) order_nat) order_Z)
        (flat_map (fun nw ->
          match find0 order_Z (Stdlib.fst nw) atoms with
          | Some a -> (a, (Stdlib.snd nw)) :: []
          | None -> []) pairs))
  in
  (fun a ->
  match find0 (order_pair (order_list order_Z) order_nat) a heavy with
  | Some x -> x
  | None -> Z0)

(** val outweighed :
    puzzle -> tables -> (z * z) list -> z -> set0 option -> bool **)

let outweighed p t pairs m = function
| Some q ->
  too_heavy p (weight_of p pairs) m
    (map (fun r -> r.Search.id)
      (filter (fun r -> Trie.mem r.Search.here q) t.rows))
| None -> false

(** val allowed_by : hints -> placement list -> placement -> bool **)

let allowed_by h stand p =
  match h.kept with
  | Some p0 ->
    let (i, _) = p0 in
    (||) (Stdlib.not (its i p))
      (member
        (order_pair order_nat
          (order_pair
            (order_list (order_pair (order_list order_Z) order_nat))
            (order_list
              (order_pair
                (order_pair (order_pair (order_list order_Z) order_nat)
                  (order_pair (order_list order_Z) order_nat)) order_Z)))) p
        stand)
  | None -> true

(** val code_of : tables -> placement -> Uint63.t **)

let code_of t p =
  of_Z (Zpos (t.number_of p))

(** val single_branch : branch0 -> bool **)

let single_branch b =
  match b.Search.most with
  | Some k -> Z.eqb k (Zpos XH)
  | None -> false

(** val full_set : branch0 list -> set0 **)

let full_set branches0 =
  set_of_places
    (map (fun b -> b.Search.spot) (filter single_branch branches0))

(** val spare_set : branch0 list -> set0 **)

let spare_set branches0 =
  set_of_places
    (map (fun b -> b.Search.spot)
      (filter (fun b -> (&&) (single_branch b) (Z.leb b.Search.need Z0))
        branches0))

(** val is_right : puzzle -> row0 list -> bool **)

let is_right p c =
  (&&)
    (forallb (fun p0 ->
      member
        (order_pair order_nat
          (order_pair
            (order_list (order_pair (order_list order_Z) order_nat))
            (order_list
              (order_pair
                (order_pair (order_pair (order_list order_Z) order_nat)
                  (order_pair (order_list order_Z) order_nat)) order_Z)))) p0
        (Search.ids c)) p.fixed)
    (forallb (fun r ->
      keeps_b r
        (set_of
          (order_pair order_nat
            (order_pair
              (order_list (order_pair (order_list order_Z) order_nat))
              (order_list
                (order_pair
                  (order_pair (order_pair (order_list order_Z) order_nat)
                    (order_pair (order_list order_Z) order_nat)) order_Z))))
          (Search.ids c))) p.rules)

(** val refuted_by : puzzle -> row0 list -> act -> bool **)

let refuted_by p c x =
  Stdlib.not (keeps_rules p (acted (image_of x) (Search.ids c)))

(** val at_leaf :
    puzzle -> act list -> (row0 -> Uint63.t * image0 list) -> bool -> row0
    list -> counts -> counts **)

let at_leaf p acts look0 weigh c t =
  if is_right p c
  then let es = map look0 c in
       let left = not_refuted (refuted_by p) c t.unrefuted in
       if entries_least acts es
       then let n0 = entries_size acts es in
            { count_found = (Z.succ t.count_found); count_all =
            (Z.add t.count_all n0); count_labelled =
            (Z.add t.count_labelled
              (Z.mul n0 (if weigh then ways p (Search.ids c) else Z0)));
            count_distinct = (Z.succ t.count_distinct); unrefuted = left }
       else { count_found = (Z.succ t.count_found); count_all = t.count_all;
              count_labelled = t.count_labelled; count_distinct =
              t.count_distinct; unrefuted = left }
  else t

(** val count_labelled_if : puzzle -> counts -> z option **)

let count_labelled_if p t =
  if Z.eqb t.count_all Z0
  then Some Z0
  else if single_copies p
       then Some t.count_all
       else if labels_ok p then Some t.count_labelled else None

(** val count_distinct_if : puzzle -> tables -> counts -> z option **)

let count_distinct_if p t t0 =
  if (&&) ((&&) (all_found p t) (complete_b p))
       ((||) (match t0.unrefuted with
              | [] -> true
              | _ :: _ -> false) (Z.eqb t0.count_all Z0))
  then Some t0.count_distinct
  else None

(** val accept :
    puzzle -> hints -> ('a1 -> (positive * 'a1) option) -> 'a1 -> 'a1 outcome
    option **)

let accept p h next s =
  if Stdlib.not (is_grid_b p)
  then None
  else (match prepare p with
        | Some t ->
          let pls = t.its_placements in
          let sorted = sorted_motions p t in
          let acts = Stdlib.fst sorted in
          let nothing_yet = none_yet (Stdlib.snd sorted) in
          let row_index = numbered_things t.rows in
          let branch_index = numbered_things t.branches in
          let branch_numbers = number_from XH t.branches in
          let stand =
            match h.kept with
            | Some p0 ->
              let (_, ks) = p0 in
              flat_map (fun k ->
                match find0 order_Z k row_index with
                | Some r -> r.Search.id :: []
                | None -> []) ks
            | None -> []
          in
          let allowed_set =
            set_of_places
              (map (fun r -> r.Search.here)
                (filter (fun r -> allowed_by h stand r.Search.id) t.rows))
          in
          let forced =
            filter (fun r ->
              member
                (order_pair order_nat
                  (order_pair
                    (order_list (order_pair (order_list order_Z) order_nat))
                    (order_list
                      (order_pair
                        (order_pair
                          (order_pair (order_list order_Z) order_nat)
                          (order_pair (order_list order_Z) order_nat))
                        order_Z)))) r.Search.id p.fixed) t.rows
          in
          let removed =
            flat_map (fun oi ->
              match find0 order_Z (Stdlib.fst oi) row_index with
              | Some r ->
                (match find0 order_Z (Stdlib.snd oi) branch_index with
                 | Some b -> (r, b) :: []
                 | None -> [])
              | None -> []) h.removals
          in
          let hungry =
            if h.starved
            then starved_branch t.branches (Search.remove removed allowed_set)
            else None
          in
          let next_branch = fun s0 ->
            if h.starved
            then (match hungry with
                  | Some b -> Some (b, s0)
                  | None -> None)
            else (match next s0 with
                  | Some p0 ->
                    let (n0, s1) = p0 in
                    (match get n0 branch_numbers with
                     | Some b -> Some (b, s1)
                     | None -> None)
                  | None -> None)
          in
          if (&&)
               ((&&)
                 ((&&)
                   ((&&)
                     ((&&) (forallb t.known p.fixed) (is_group p pls acts))
                     (match h.kept with
                      | Some p0 ->
                        let (i, _) = p0 in kept_ok p acts pls i stand
                      | None -> true))
                   (forallb (fun r ->
                     eqb (allowed_by h stand r.Search.id)
                       (Trie.mem r.Search.here allowed_set)) t.rows))
                 (Nat.eqb
                   (length
                     (set_of
                       (order_pair order_nat
                         (order_pair
                           (order_list
                             (order_pair (order_list order_Z) order_nat))
                           (order_list
                             (order_pair
                               (order_pair
                                 (order_pair (order_list order_Z) order_nat)
                                 (order_pair (order_list order_Z) order_nat))
                               order_Z)))) (Search.ids forced)))
                   (length (Search.ids forced))))
               (Nat.eqb (length (set_of order_int (map (code_of t) pls)))
                 (length (map (code_of t) pls)))
          then let entries0 =
                 number_from XH
                   (map (fun p0 -> (p0,
                     (entry acts (code_of t) (allowed_by h stand) p0))) pls)
               in
               if forallb (fun r ->
                    match get r.Search.number entries0 with
                    | Some e ->
                      same
                        (order_pair order_nat
                          (order_pair
                            (order_list
                              (order_pair (order_list order_Z) order_nat))
                            (order_list
                              (order_pair
                                (order_pair
                                  (order_pair (order_list order_Z) order_nat)
                                  (order_pair (order_list order_Z) order_nat))
                                order_Z)))) (Stdlib.fst e) r.Search.id
                    | None -> false) t.rows
               then let look0 = fun r ->
                      match get r.Search.number entries0 with
                      | Some e -> Stdlib.snd e
                      | None -> ((Uint63.of_int (0)), [])
                    in
                    let full = full_set t.branches in
                    let spare = spare_set t.branches in
                    let others =
                      filter (fun b ->
                        Stdlib.not (Search.sorted_out full spare b))
                        t.branches
                    in
                    let weigh =
                      (&&) (Stdlib.not (single_copies p)) (labels_ok p)
                    in
                    (match match h.weights with
                           | Some p0 ->
                             let (pairs, m) = p0 in
                             if outweighed p t pairs m
                                  (Search.remove removed allowed_set)
                             then Some (s, nothing_yet)
                             else None
                           | None ->
                             Search.search
                               (order_pair order_nat
                                 (order_pair
                                   (order_list
                                     (order_pair (order_list order_Z)
                                       order_nat))
                                   (order_list
                                     (order_pair
                                       (order_pair
                                         (order_pair (order_list order_Z)
                                           order_nat)
                                         (order_pair (order_list order_Z)
                                           order_nat)) order_Z))))
                               (placements_clash p) full spare others
                               next_branch (at_leaf p acts look0 weigh) (S
                               (length pls)) allowed_set forced removed s
                               nothing_yet with
                     | Some p0 ->
                       let (s0, t0) = p0 in
                       Some { placements_found = (length pls);
                       symmetries_found =
                       (map (fun a -> a.by_symmetry) acts);
                       perhaps_symmetries =
                       (map (fun a -> a.by_symmetry) t0.unrefuted);
                       solutions_found = t0.count_found; counted_labelled =
                       (count_labelled_if p t0); counted_all = t0.count_all;
                       counted_distinct = (count_distinct_if p t t0); rest =
                       s0 }
                     | None -> None)
               else None
          else None
        | None -> None)
