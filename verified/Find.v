(** * Balanced search trees: from keys to values *)

From Coq Require Import List Arith PArith.
From PuzzleSat Require Import Statement Sets.
Import ListNotations.

Section Find.
Context {K V : Type} {OK : Order K} {LK : Lawful K}.

Inductive index := Tip | Fork (l : index) (k : K) (v : V) (r : index).

Fixpoint find (x : K) (t : index) : option V :=
  match t with
  | Tip => None
  | Fork l k v r => match compare x k with Eq => Some v | Lt => find x l | Gt => find x r end
  end.

(** Build a tree of at most the given depth from the front of an ascending list; return it with the rest of the list. *)
Fixpoint grow (depth : nat) (l : list (K * V)) : index * list (K * V) :=
  match depth, l with
  | 0, _ | _, [] => (Tip, l)
  | S depth, _ =>
    let (left, l) := grow depth l in
    match l with
    | [] => (left, [])
    | (k, v) :: l => let (right, l) := grow depth l in (Fork left k v right, l)
    end
  end.
Definition index_of (l : list (K * V)) : index := fst (grow (S (Nat.log2 (length l))) l).

Fixpoint entries (t : index) : list (K * V) :=
  match t with Tip => [] | Fork l k v r => entries l ++ (k, v) :: entries r end.

Lemma find_entries x t v : find x t = Some v -> In (x, v) (entries t).
Proof.
  induction t as [|l IHl k w r IHr]; cbn [find entries]; [discriminate|].
  rewrite in_app_iff. cbn [In]. destruct (compare x k) eqn:E; auto.
  apply compare_eq in E as ->. intros [= ->]. auto.
Qed.

Lemma grow_entries depth : forall l t rest, grow depth l = (t, rest) -> forall e, In e (entries t) \/ In e rest -> In e l.
Proof.
  induction depth as [|depth IH]; intros l t rest; cbn [grow].
  - intros [= <- <-] e [[]|]; assumption.
  - destruct l as [|e0 l0]; [intros [= <- <-] e [[]|]; assumption|].
    destruct (grow depth (e0 :: l0)) as [left l] eqn:E1. specialize (IH _ _ _ E1) as H1.
    destruct l as [|[k v] l]; [intros [= <- <-]; exact H1|].
    destruct (grow depth l) as [right l'] eqn:E2. specialize (IH _ _ _ E2) as H2.
    intros [= <- <-] e. cbn [entries]. rewrite in_app_iff. cbn [In].
    intros [[|[<-|]]|]; apply H1; cbn [In]; auto.
Qed.

Lemma find_index_of x l v : find x (index_of l) = Some v -> In (x, v) l.
Proof.
  intros F. apply find_entries in F. unfold index_of in F. destruct (grow _ l) as [t rest] eqn:E.
  now apply (grow_entries _ _ _ _ E); left.
Qed.
End Find.
Arguments index : clear implicits.

(** A map from positive numbers: the bits of a number are the path to its value. *)
Section Numbered.
Context {A : Type}.

Inductive numbered := Nothing | At (even odd : numbered) (x : option A).

Fixpoint get (n : positive) (t : numbered) : option A :=
  match t with
  | Nothing => None
  | At even odd x => match n with xH => x | xO n => get n even | xI n => get n odd end
  end.

Fixpoint put (n : positive) (a : A) (t : numbered) : numbered :=
  let '(even, odd, x) := match t with Nothing => (Nothing, Nothing, None) | At even odd x => (even, odd, x) end in
  match n with
  | xH => At even odd (Some a)
  | xO n => At (put n a even) odd x
  | xI n => At even (put n a odd) x
  end.

Fixpoint number_from (n : positive) (l : list A) : numbered :=
  match l with [] => Nothing | a :: l => put n a (number_from (Pos.succ n) l) end.

Lemma get_put n a : forall t m b, get m (put n a t) = Some b -> b = a \/ get m t = Some b.
Proof.
  induction n as [n IH|n IH|]; intros [|even odd x] [m|m|] b; cbn [put get]; intros E; auto;
    try (apply IH in E as [|E]; auto; destruct m; discriminate E); try (apply IH in E as [|E]; auto);
    try (destruct m; discriminate E); try discriminate E; left; congruence.
Qed.

Lemma get_number_from l : forall n m b, get m (number_from n l) = Some b -> In b l.
Proof.
  induction l as [|a l IH]; intros n m b; cbn [number_from]; [destruct m; discriminate|].
  intros E. apply get_put in E as [->|E]; [now left|right]. now apply IH in E.
Qed.
End Numbered.
Arguments numbered : clear implicits.
