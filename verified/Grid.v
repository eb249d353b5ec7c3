(** * That the grid is one: its symmetries are isometries *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Geometry.
Import ListNotations.
Open Scope Z_scope.

Definition forall_below (n : nat) (f : nat -> bool) : bool := forallb f (seq 0 n).

Lemma forall_below_iff n f : forall_below n f = true <-> forall i, (i < n)%nat -> f i = true.
Proof.
  unfold forall_below. rewrite forallb_forall. split; intros H i Hi; apply H; [apply in_seq; lia|]. apply in_seq in Hi. lia.
Qed.

Definition lattice_b (P : puzzle) : bool :=
  let d := dimension P in
  (Nat.eqb d 2 || Nat.eqb d 3) &&
  forall_below d (fun i => forall_below d (fun j => inner P (basis d i) (basis d j) =? inner P (basis d j) (basis d i))) &&
  forall_below d (fun k => 0 <? determinant (map (firstn (S k)) (firstn (S k) (gram P)))).

Lemma lattice_iff P : lattice_b P = true <-> lattice P.
Proof.
  unfold lattice_b, lattice. rewrite !andb_true_iff, orb_true_iff, !Nat.eqb_eq, !forall_below_iff. split.
  - intros [[D S] M]. split; [assumption|]. split.
    + intros i j Hi Hj. specialize (S i Hi). rewrite forall_below_iff in S. now apply Z.eqb_eq, S.
    + intros [|k] Hk; [lia|]. apply Z.ltb_lt, M. lia.
  - intros (D & S & M). split; [split; [assumption|]|].
    + intros i Hi. apply forall_below_iff. intros j Hj. now apply Z.eqb_eq, S.
    + intros k Hk. apply Z.ltb_lt, M. lia.
Qed.

Definition same_members {A} `{Order A} (l m : list A) : bool := same (set_of l) (set_of m).

Definition taken_by (P : puzzle) (g : symmetry) (translation : point) (n : nat) : bool :=
  let here := (zero (dimension P), n) in let there := move g (zero (dimension P)) here in
  same_kind P here there &&
  same_members (corners P there) (map (fun y => plus (apply (matrix g) y) translation) (corners P here)).

(** A translation takes the first corner of the first atom to some corner. *)
Definition translations (P : puzzle) (g : symmetry) : list point :=
  let here := (zero (dimension P), 0%nat) in
  match corners P here with
  | [] => []
  | y :: _ => map (fun x => minus x (apply (matrix g) y)) (corners P (move g (zero (dimension P)) here))
  end.

Definition isometry_b (P : puzzle) (g : symmetry) : bool :=
  let d := dimension P in
  Nat.eqb (length (matrix g)) d && forallb (fun row => Nat.eqb (length row) d) (matrix g) &&
  forall_below d (fun i => forall_below d (fun j =>
    inner P (apply (matrix g) (basis d i)) (apply (matrix g) (basis d j)) =? inner P (basis d i) (basis d j))) &&
  existsb (fun translation => forall_below (length (cell P)) (taken_by P g translation)) (translations P g).

Lemma isometry_sound P g : isometry_b P g = true -> isometry P g.
Proof.
  unfold isometry_b, isometry. rewrite !andb_true_iff, forall_below_iff, existsb_exists, Nat.eqb_eq, forallb_forall.
  intros [[[S1 S2] I] (v & _ & T)]. split; [split; [assumption|]; intros row Hr; now apply Nat.eqb_eq, S2|]. split.
  - intros i j Hi Hj. specialize (I i Hi). rewrite forall_below_iff in I. now apply Z.eqb_eq, I.
  - exists v. intros n Hn. rewrite forall_below_iff in T. specialize (T n Hn). unfold taken_by in T.
    apply andb_true_iff in T as [K M]. split; [now apply same_kind_iff|].
    unfold same_members in M. apply same_iff in M. intros x.
    change (repeat 0 (dimension P)) with (zero (dimension P)).
    rewrite <- (set_of_In x (corners P (move g (zero (dimension P)) (zero (dimension P), n)))), M, set_of_In, in_map_iff. split; intros (y & ? & ?); exists y; auto.
Qed.

Definition is_atom_b (P : puzzle) (a : atom) : bool := has_dimension (dimension P) a && Nat.ltb (snd a) (length (cell P)).

Lemma is_atom_iff P a : is_atom_b P a = true <-> is_atom P a.
Proof. unfold is_atom_b, is_atom, has_dimension. now rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt. Qed.

(** The atoms that have the first corner of an atom of the cell at 0 in common with it are not where it is, except itself. *)
Definition places_differ_b (P : puzzle) : bool :=
  forall_below (length (cell P)) (fun n =>
    let b := (zero (dimension P), n) in
    match corners P b with
    | [] => false
    | x :: _ => forallb (fun a => same a b || negb (same_kind P a b && same_members (corners P a) (corners P b))) (atoms_at P x)
    end).

Definition is_grid_b (P : puzzle) : bool :=
  lattice_b P && forallb (isometry_b P) (symmetries P) && cell_ok P && places_differ_b P &&
  forallb (is_atom_b P) (required P ++ optional P) &&
  Nat.eqb (length (set_of (required P ++ optional P))) (length (required P ++ optional P)) &&
  forallb (fun t => forallb (is_atom_b P) (body t)) (tiles P).

Theorem is_grid_sound P : is_grid_b P = true -> is_grid P.
Proof.
  unfold is_grid_b. rewrite !andb_true_iff, !forallb_forall, Nat.eqb_eq. intros [[[[[[L S] C] D] F] O] T]. split.
  - now apply lattice_iff.
  - intros g Hg. now apply isometry_sound, S.
  - intros a [z n] Ha [_ Hn] Ez K E. cbn [fst snd] in Ez, Hn. subst z.
    unfold places_differ_b in D. rewrite forall_below_iff in D. specialize (D n Hn). cbv zeta in D.
    change (repeat 0 (dimension P)) with (zero (dimension P)) in *.
    destruct (corners P (zero (dimension P), n)) as [|x more] eqn:Ec; [discriminate|].
    rewrite forallb_forall in D. specialize (D a). rewrite <- Ec in D, E.
    assert (Hx : In x (corners P a)). { apply E. rewrite Ec. now left. }
    specialize (D (atoms_found P a x C Ha Hx)). apply orb_true_iff in D as [D|D]; [now apply same_iff|].
    apply negb_true_iff in D. apply same_kind_iff in K. rewrite K in D. cbn [andb] in D.
    rewrite <- not_true_iff_false in D. exfalso. apply D. unfold same_members. apply same_iff. now apply set_of_same.
  - intros a Ha. apply is_atom_iff, F, in_app_iff. exact Ha.
  - now apply set_of_length.
  - intros t a Ht Ha. specialize (T t Ht). rewrite forallb_forall in T. now apply is_atom_iff, T.
Qed.
