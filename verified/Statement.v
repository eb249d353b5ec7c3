(** * What a certificate states: a puzzle, its solutions, and how many there are

    This file is the meaning of everything that [puzzlesat-verified] prints. It defines a lattice, the atoms of its cells, tiles that
    are turned and moved, and sets of placements; the search and the counting play no part.

    Reading it takes little of Rocq: [list A] is the lists of things of type [A], [A * B] the pairs, [option A] is [Some x] or [None],
    [nat] and [Z] are the natural numbers and the integers, [In x l] says that [x] is a member of the list [l], and [nth_error l n] is
    [Some] member number [n] of [l], counted from 0, or [None] if the list is shorter. [Record] lists the named parts of a thing. *)

From Coq Require Import List ZArith Sorted Permutation.
Import ListNotations.
Open Scope Z_scope.

(** ** Finite sets are ascending lists

    Numbers, pairs and lists have an order (lists are ordered lexicographically). A finite set is the ascending list of its members
    without repetitions, so two sets with the same members are the same list. *)

Class Order (A : Type) := compare : A -> A -> comparison.
Global Instance order_Z : Order Z := Z.compare.
Global Instance order_nat : Order nat := Nat.compare.
Global Instance order_pair {A B} `{Order A} `{Order B} : Order (A * B) := fun x y =>
  match compare (fst x) (fst y) with Eq => compare (snd x) (snd y) | different => different end.
Fixpoint compare_lists {A} `{Order A} (l m : list A) : comparison :=
  match l, m with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: l, y :: m => match compare x y with Eq => compare_lists l m | different => different end
  end.
Global Instance order_list {A} `{Order A} : Order (list A) := compare_lists.

Definition ascending {A} `{Order A} (l : list A) : Prop := StronglySorted (fun x y => compare x y = Lt) l.

(** [l] is the set of all [x] with [P x]. *)
Definition is_set {A} `{Order A} (l : list A) (P : A -> Prop) : Prop := ascending l /\ forall x, In x l <-> P x.

(** ** The grid

    A point is its coordinates along the vectors of the lattice. An atom is given by its cell, a point with integer coordinates, and its
    number among the atoms of a cell. *)

Definition point : Type := list Z.
Definition atom : Type := point * nat.

Fixpoint plus (v w : point) : point :=
  match v, w with x :: v, y :: w => x + y :: plus v w | _, _ => [] end.
Definition times (n : Z) (v : point) : point := map (Z.mul n) v.
Fixpoint product (v w : point) : Z :=
  match v, w with x :: v, y :: w => x * y + product v w | _, _ => 0 end.

(** A symmetry of the grid takes atom number [a] of the cell [c] to atom number [image a] of the cell
    [matrix c + shift a]: [matrix] is given by its rows, [image] and [shift] by their values for each atom of a cell. *)
Record symmetry := { matrix : list point; image : list nat; shift : list point }.

Definition apply (m : list point) (c : point) : point := map (fun row => product row c) m.

(** The image of an atom under a symmetry followed by the lattice vector [v]. *)
Definition move (g : symmetry) (v : point) (a : atom) : atom :=
  (plus (plus (apply (matrix g) (fst a)) (nth (snd a) (shift g) [])) v, nth (snd a) (image g) 0%nat).

(** ** The puzzle

    A mark is on a side (an atom, such as an edge), belongs to a face (an atom), and has a name (names are numbers here).
    Where side and face are the same, it is the colour of that face. *)
Definition mark : Type := atom * atom * Z.
Definition side (m : mark) : atom := fst (fst m).
Definition face (m : mark) : atom := snd (fst m).
Definition called (m : mark) : Z := snd m.

(** A tile: its atoms and marks in some position, the numbers of the symmetries that may turn it, and the minimum and the maximum number
    of copies of each of its identical pieces ([None]: any number). *)
Record tile := { body : list atom; marks : list mark; turns : list nat; ranges : list (Z * option Z) }.

(** A placement: the number of its tile, the set of the atoms that it covers, the set of the marks that it shows. *)
Definition placement : Type := nat * (list atom * list mark).
Definition tile_of (p : placement) : nat := fst p.
Definition covers (p : placement) : list atom := fst (snd p).
Definition shows (p : placement) : list mark := snd (snd p).

(** Each atom and each tile has a weight (0 where none is stated). The sum over the placements of a solution lies from
    [least] to [most], or, where [modulus] is not 0, leaves the same rest as [residue] when divided by it. *)
Record rule := { atom_weights : list (atom * Z); tile_weights : list Z; least : Z; most : Z; modulus : Z; residue : Z }.

Record puzzle := {
  gram : list point;               (* scalar products of the lattice vectors, times a common factor *)
  unit : Z;                        (* corners have coordinates that are multiples of 1 / unit *)
  cell : list (Z * list point);    (* the atoms of a cell: of what kind, and their corners, in multiples of 1 / unit *)
  symmetries : list symmetry;
  tiles : list tile;
  required : list atom;            (* must be covered *)
  optional : list atom;            (* may be covered *)
  mates : list (Z * option Z);     (* the name that each name of a mark may meet, if any *)
  fits : list (Z * list Z);        (* the colours of the form on which each colour of tiles may lie *)
  coloured : list (atom * Z);      (* atoms of the form that have a colour *)
  border : option Z;               (* the mark that is outside of the form, if any is *)
  rules : list rule;
  fixed : list placement;          (* placements that are part of each solution *)
  keep : list atom;                (* atoms that must stay where they are, as a set, when answers are compared *)
  mirrored : bool;                 (* true if mirror images count as one solution *)
}.

Definition dimension (P : puzzle) : nat := length (gram P).
Definition form (P : puzzle) (a : atom) : Prop := In a (required P) \/ In a (optional P).

(** The corners of an atom. A face is an atom of the same kind as the first; it is at a side if it has all corners of the side. *)
Definition corners (P : puzzle) (a : atom) : list point :=
  map (plus (times (unit P) (fst a))) (snd (nth (snd a) (cell P) (0, []))).
Definition kind (P : puzzle) (a : atom) : option Z := option_map fst (nth_error (cell P) (snd a)).
Definition face_at (P : puzzle) (s f : atom) : Prop :=
  kind P f <> None /\ length (fst f) = dimension P /\
  kind P f = kind P ([], 0%nat) /\ kind P s <> kind P f /\ incl (corners P s) (corners P f).

(** ** The requirements on a grid

    The scalar products are those of a lattice; each symmetry keeps the scalar products of the lattice vectors, and takes the corners of
    each atom, after one and the same translation, to the corners of its stated image, an atom of the same kind. *)
Definition basis (d i : nat) : point := map (fun k => if Nat.eqb k i then 1 else 0) (seq 0 d).
Definition inner (P : puzzle) (x y : point) : Z := product x (apply (gram P) y).
Definition determinant (m : list point) : Z :=
  match m with
  | [[a]] => a
  | [[a; b]; [c; d]] => a * d - b * c
  | [[a; b; c]; [d; e; f]; [g; h; i]] => a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
  | _ => 0
  end.
Definition lattice (P : puzzle) : Prop :=
  let d := dimension P in
  (d = 2 \/ d = 3)%nat /\
  (forall i j, (i < d)%nat -> (j < d)%nat -> inner P (basis d i) (basis d j) = inner P (basis d j) (basis d i)) /\
  forall k, (0 < k <= d)%nat -> 0 < determinant (map (firstn k) (firstn k (gram P))).

Definition isometry (P : puzzle) (g : symmetry) : Prop :=
  let d := dimension P in
  (length (matrix g) = d /\ forall row, In row (matrix g) -> length row = d) /\
  (forall i j, (i < d)%nat -> (j < d)%nat ->
    inner P (apply (matrix g) (basis d i)) (apply (matrix g) (basis d j)) = inner P (basis d i) (basis d j)) /\
  exists translation, forall n, (n < length (cell P))%nat ->
    let here := (repeat 0 d, n) in let there := move g (repeat 0 d) here in
    kind P here = kind P there /\
    forall x, In x (corners P there) <-> exists y, In y (corners P here) /\ x = plus (apply (matrix g) y) translation.

Definition is_atom (P : puzzle) (a : atom) : Prop := length (fst a) = dimension P /\ (snd a < length (cell P))%nat.

(** No isometry of the grid is missing: some stated symmetry, with a lattice vector, has the same effect on all atoms. *)
Definition takes_atoms (P : puzzle) (g : symmetry) : Prop :=
  length (image g) = length (cell P) /\ length (shift g) = length (cell P) /\
  (forall n, In n (image g) -> (n < length (cell P))%nat) /\ forall v, In v (shift g) -> length v = dimension P.
Definition has_all_symmetries (P : puzzle) : Prop := forall g, isometry P g -> takes_atoms P g ->
  exists h v, In h (symmetries P) /\ matrix h = matrix g /\ length v = dimension P /\
    forall a, is_atom P a -> move g (repeat 0 (dimension P)) a = move h v a.

(** A translation takes the atoms of a cell to atoms. It is given in multiples of 1 / unit: no other takes a corner to a corner. *)
Definition translates (P : puzzle) (u : point) : Prop := length u = dimension P /\ forall n, (n < length (cell P))%nat ->
  let here := (repeat 0 (dimension P), n) in exists there, is_atom P there /\ kind P there = kind P here /\
    forall x, In x (corners P there) <-> exists y, In y (corners P here) /\ x = plus y u.

Record is_grid (P : puzzle) : Prop := {
  of_lattice : lattice P;
  of_isometries : forall g, In g (symmetries P) -> isometry P g;
  (* the lattice has all translations of the grid, *)
  all_translations : forall u, translates P u -> exists v, length v = dimension P /\ u = times (unit P) v;
  (* no atom of its kind lies where another does, *)
  places_differ : forall a b, is_atom P a -> is_atom P b -> fst b = repeat 0 (dimension P) -> kind P a = kind P b ->
    (forall x, In x (corners P a) <-> In x (corners P b)) -> a = b;
  (* the form and the tiles consist of atoms, and the form states each once. *)
  form_of_atoms : forall a, form P a -> is_atom P a;
  form_once : NoDup (required P ++ optional P);
  tiles_of_atoms : forall t a, In t (tiles P) -> In a (body t) -> is_atom P a;
}.

(** ** Placements

    A tile is turned by one of its symmetries and moved by a lattice vector to where all its atoms lie on the form, its
    colours lie on none or on one that they fit on, and, if there is a mark outside of the form, each mark on a side
    that does not lie between faces of the form may meet that. *)
Definition move_mark (g : symmetry) (v : point) (m : mark) : mark := (move g v (side m), move g v (face m), called m).

Definition turned_tile (t : tile) (g : symmetry) (v : point) (p : placement) : Prop :=
  is_set (covers p) (fun a => exists b, In b (body t) /\ a = move g v b) /\
  is_set (shows p) (fun m => exists n, In n (marks t) /\ m = move_mark g v n).

Definition colours_fit (P : puzzle) (p : placement) : Prop :=
  forall m c, In m (shows p) -> side m = face m -> In (face m, c) (coloured P) ->
  exists on, In (called m, on) (fits P) /\ In c on.

Definition border_met (P : puzzle) (p : placement) : Prop :=
  forall b m, border P = Some b -> In m (shows p) -> side m <> face m ->
  In (called m, Some b) (mates P) \/ forall f, face_at P (side m) f -> form P f.

Definition is_placement (P : puzzle) (p : placement) : Prop :=
  (exists t n g v, nth_error (tiles P) (tile_of p) = Some t /\ In n (turns t) /\ nth_error (symmetries P) n = Some g /\
    length v = dimension P /\ turned_tile t g v p) /\
  (forall a, In a (covers p) -> form P a) /\ colours_fit P p /\ border_met P p.

(** ** Solutions

    The number of copies of a tile in a solution, and the condition that a rule puts on the weights of its placements. *)

Definition sum (l : list Z) : Z := fold_right Z.add 0 l.
Definition copies (t : nat) (S : list placement) : Z := Z.of_nat (length (filter (fun p => Nat.eqb (tile_of p) t) S)).
Definition low (t : tile) : Z := sum (map fst (ranges t)).
Definition within (n : Z) (high : option Z) : Prop := match high with Some h => n <= h | None => True end.
Definition high (t : tile) : option Z :=
  fold_right (fun r sum => match snd r, sum with Some h, Some s => Some (h + s) | _, _ => None end) (Some 0) (ranges t).

Definition atom_weight (r : rule) (a : atom) : Z :=
  sum (map snd (filter (fun w => match compare (fst w) a with Eq => true | _ => false end) (atom_weights r))).
Definition weight (r : rule) (p : placement) : Z := nth (tile_of p) (tile_weights r) 0 + sum (map (atom_weight r) (covers p)).
Definition keeps (r : rule) (S : list placement) : Prop :=
  let total := sum (map (weight r) S) in
  if modulus r =? 0 then least r <= total <= most r else (total - residue r) mod modulus r = 0.

(** A covering has all properties of a solution except the rules. It is a set of placements such that *)
Record covering (P : puzzle) (S : list placement) : Prop := {
  a_set : ascending S;
  of_placements : forall p, In p S -> is_placement P p;
  (* no two cover the same atom, *)
  disjoint : forall p q a, In p S -> In q S -> In a (covers p) -> In a (covers q) -> p = q;
  (* the required atoms are covered, *)
  covered : forall a, In a (required P) -> exists p, In p S /\ In a (covers p);
  (* each tile is used as often as its numbers of copies allow, *)
  kept_copies : forall n t, nth_error (tiles P) n = Some t -> low t <= copies n S /\ within (copies n S) (high t);
  (* where marks of two placements are on the same side of different faces, each is the other's mate, *)
  mating : forall p q m n, In p S -> In q S -> p <> q -> In m (shows p) -> In n (shows q) ->
    side m = side n -> side m <> face m -> side n <> face n -> face m <> face n -> In (called m, Some (called n)) (mates P);
  (* and the fixed placements are there. *)
  has_fixed : forall p, In p (fixed P) -> In p S;
}.

(** A solution is a covering that keeps the rules. *)
Definition keeps_all (P : puzzle) (S : list placement) : Prop := forall r, In r (rules P) -> keeps r S.
Record solution (P : puzzle) (S : list placement) : Prop := { is_covering :> covering P S; has_kept : keeps_all P S }.

(** ** Counts

    There are [n] things with the property [Q], if they can be listed, each once, in a list of length [n]; and [n] up to a
    relation, if [n] of them can be listed no two of which are related, and each is related to one that is listed. *)
Definition there_are {A} (n : Z) (Q : A -> Prop) : Prop :=
  exists l, NoDup l /\ Z.of_nat (length l) = n /\ forall x, In x l <-> Q x.

Definition there_are_up_to {A} (alike : A -> A -> Prop) (n : Z) (Q : A -> Prop) : Prop :=
  exists l, NoDup l /\ Z.of_nat (length l) = n /\ (forall x, In x l -> Q x) /\
    (forall x y, In x l -> In y l -> alike x y -> x = y) /\ forall x, Q x -> exists y, In y l /\ alike x y.

(** [all]: the number of solutions. *)
Definition all_solutions (P : puzzle) (n : Z) : Prop := there_are n (solution P).

(** [labelled]: the number of solutions whose copies are told apart. The label of a placement names one of the identical pieces of its tile,
    and the number of the copy. *)
Definition label : Type := nat * Z.
Definition labelled_solution (P : puzzle) (L : list (placement * label)) : Prop :=
  solution P (map fst L) /\
  (forall p q l, In (p, l) L -> In (q, l) L -> tile_of p = tile_of q -> p = q) /\
  (forall p piece copy, In (p, (piece, copy)) L -> exists t l h, nth_error (tiles P) (tile_of p) = Some t /\
    nth_error (ranges t) piece = Some (l, Some h) /\ 0 <= copy < h) /\
  forall n t piece l h, nth_error (tiles P) n = Some t -> nth_error (ranges t) piece = Some (l, h) ->
    l <= Z.of_nat (length (filter (fun x => Nat.eqb (tile_of (fst x)) n && Nat.eqb (fst (snd x)) piece)%bool L)).
Definition all_labelled (P : puzzle) (n : Z) : Prop := there_are n (labelled_solution P).

(** [distinct]: the number of solutions up to symmetry. A symmetry of the puzzle consists of a symmetry of the grid (not a mirror, unless
    the puzzle counts mirror images as one), a lattice vector [v], and a permutation of the tiles [e] (member number [t] is the image of
    tile [t]). It maps the sets of required, optional and kept atoms, the colours and the fixed placements onto themselves, and placements
    to placements of a tile with equal copies. And it keeps the rules: the image of a covering keeps all rules if and only if the covering
    does. *)
Definition same_copies (t u : tile) : Prop :=
  low t = low u /\ high t = high u /\ (high t = Some (low t) \/ Permutation (ranges t) (ranges u)).

Definition mirror (m : list point) : bool := determinant m <? 0.

(** [q] is the placement that [p] becomes. *)
Definition becomes (g : symmetry) (v : point) (e : list nat) (p q : placement) : Prop :=
  nth_error e (tile_of p) = Some (tile_of q) /\
  is_set (covers q) (fun a => exists b, In b (covers p) /\ a = move g v b) /\
  is_set (shows q) (fun m => exists n, In n (shows p) /\ m = move_mark g v n).

(** [T] is what the set [S] becomes, placement by placement. *)
Definition become (g : symmetry) (v : point) (e : list nat) (S T : list placement) : Prop :=
  is_set T (fun q => exists p, In p S /\ becomes g v e p q).

Record puzzle_symmetry (P : puzzle) (g : symmetry) (v : point) (e : list nat) : Prop := {
  of_grid : In g (symmetries P) /\ length v = dimension P;
  no_mirror : mirrored P = true \/ mirror (matrix g) = false;
  onto_form : forall set, In set [required P; optional P; keep P] ->
    forall a, In a set <-> exists b, In b set /\ a = move g v b;
  same_colours : forall a c, form P a -> (In (a, c) (coloured P) <-> In (move g v a, c) (coloured P));
  exchange : NoDup e /\ length e = length (tiles P) /\
    forall n m, nth_error e n = Some m -> exists t u, nth_error (tiles P) n = Some t /\
      nth_error (tiles P) m = Some u /\ same_copies t u;
  same_placements : forall p, is_placement P p -> exists q, becomes g v e p q /\ is_placement P q;
  same_fixed : forall q, In q (fixed P) <-> exists p, In p (fixed P) /\ becomes g v e p q;
  same_rules : forall S T, covering P S -> become g v e S T -> (keeps_all P S <-> keeps_all P T);
}.

Definition alike (P : puzzle) (S T : list placement) : Prop :=
  exists g v e, puzzle_symmetry P g v e /\ become g v e S T.

Definition distinct_solutions (P : puzzle) (n : Z) : Prop := there_are_up_to (alike P) n (solution P).
