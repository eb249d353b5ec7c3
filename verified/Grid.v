(** * The requirements on a grid: its symmetries are isometries *)

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

(** No other atom of the same kind has the same corners as an atom of the cell at 0. Only atoms that share its first corner are compared. *)
Definition places_differ_b (P : puzzle) : bool :=
  forall_below (length (cell P)) (fun n =>
    let b := (zero (dimension P), n) in
    match corners P b with
    | [] => false
    | x :: _ => forallb (fun a => same a b || negb (same_kind P a b && same_members (corners P a) (corners P b))) (atoms_at P x)
    end).

(** ** No translation is missing in the lattice *)

Lemma sum2 d n : forall p q k, length p = d -> length q = d -> length k = d ->
  plus (times n (minus p q)) k = minus (plus (times n p) k) (times n q).
Proof. induction d as [|d IH]; intros [|? p] [|? q] [|? k]; cbn; intros; try discriminate; auto. f_equal; [lia|]. apply IH; congruence. Qed.
Lemma cell_corner_length P n k : cell_ok P = true -> (n < length (cell P))%nat -> In k (snd (nth n (cell P) (0, []))) ->
  length k = dimension P.
Proof.
  intros C Hn Hk. unfold cell_ok in C. apply andb_true_iff in C as [_ C]. rewrite forallb_forall in C.
  destruct (nth_error (cell P) n) as [[z ks]|] eqn:E; [|apply nth_error_None in E; lia].
  rewrite (nth_error_nth _ _ _ E) in Hk. apply nth_error_In, C in E. cbn [snd] in *. apply andb_true_iff in E as [_ E].
  rewrite forallb_forall in E. now apply Nat.eqb_eq, E.
Qed.

(** The corners of an atom that was moved by a lattice vector. *)
Lemma cell_corners_moved P a c x : cell_ok P = true -> is_atom P a -> length c = dimension P ->
  In x (corners P (minus (fst a) c, snd a)) <-> exists y, In y (corners P a) /\ x = minus y (times (unit P) c).
Proof.
  intros C [La Na] Lc. unfold corners. cbn [fst snd]. rewrite in_map_iff. split.
  - intros (k & <- & Hk). exists (plus (times (unit P) (fst a)) k). split; [now apply in_map|].
    apply (sum2 (dimension P)); [assumption|assumption|now apply (cell_corner_length P (snd a))].
  - intros (y & Hy & ->). apply in_map_iff in Hy as (k & <- & Hk). exists k. split; [|assumption].
    apply (sum2 (dimension P)); [assumption|assumption|now apply (cell_corner_length P (snd a))].
Qed.

Definition translated (P : puzzle) (u : point) (n : nat) : bool :=
  let here := (zero (dimension P), n) in
  let there := map (fun y => plus y u) (corners P here) in
  match there with
  | [] => false
  | x :: _ => existsb (fun a => same_kind P a here && same_members (corners P a) there) (atoms_at P x)
  end.
Definition of_the_lattice (P : puzzle) (u : point) : bool := same u (times (unit P) (divided (unit P) u)).

(** A translation that the lattice lacks, if there is one. It takes the first corner of the first atom to some corner of a cell, up to a
    lattice vector, so there are finitely many candidates. *)
Definition missing_translation (P : puzzle) : option point :=
  match corners P (zero (dimension P), 0%nat) with
  | [] => Some []
  | y :: _ => List.find (fun u => negb (of_the_lattice P u) && forall_below (length (cell P)) (translated P u))
      (map (fun k => minus k y) (flat_map snd (cell P)))
  end.

Lemma sum5 d n : forall y u p k, length y = d -> length u = d -> length p = d -> length k = d -> plus y u = plus (times n p) k ->
  u = plus (minus k y) (times n p).
Proof.
  induction d as [|d IH]; intros [|? y] [|? u] [|? p] [|? k]; cbn; intros; try discriminate; auto.
  match goal with H : _ :: _ = _ :: _ |- _ => injection H as E0 E end. f_equal; [lia|]. apply IH; first [exact E|congruence].
Qed.
Lemma sum6 d n : forall y w p, length y = d -> length w = d -> length p = d ->
  minus (plus y (plus w (times n p))) (times n p) = plus y w.
Proof. induction d as [|d IH]; intros [|? y] [|? w] [|? p]; cbn; intros; try discriminate; auto. f_equal; [lia|]. apply IH; congruence. Qed.
Lemma sum7 d n : forall v p, length v = d -> length p = d -> plus (times n v) (times n p) = times n (plus v p).
Proof. induction d as [|d IH]; intros [|? v] [|? p]; cbn; intros; try discriminate; auto. f_equal; [lia|]. apply IH; congruence. Qed.
Lemma divided_length n v : length (divided n v) = length v.
Proof. induction v; cbn; auto. Qed.

Theorem translations_sound P : cell_ok P = true -> missing_translation P = None ->
  forall u, translates P u -> exists v, length v = dimension P /\ u = times (unit P) v.
Proof.
  intros C M u [Lu T]. cbv zeta in T. unfold missing_translation in M. set (d := dimension P) in *. change (repeat 0 d) with (zero d) in T.
  destruct (corners P (zero d, 0%nat)) as [|y0 more] eqn:Ey; [discriminate|].
  assert (N0 : (0 < length (cell P))%nat).
  { destruct (cell P) as [|c0 cs] eqn:Ec; [|cbn; lia]. unfold corners in Ey. rewrite Ec in Ey. discriminate. }
  assert (CL : forall n y, (n < length (cell P))%nat -> In y (corners P (zero d, n)) -> length y = d).
  { intros n y Hn Hy. unfold corners in Hy. apply in_map_iff in Hy as (k & <- & Hk). rewrite plus_length. unfold times. rewrite map_length.
    cbn [fst snd] in *. rewrite (cell_corner_length P n k C Hn Hk). unfold zero. rewrite repeat_length. fold d. lia. }
  destruct (T 0%nat N0) as (b & Hb & _ & Cb). pose proof Hb as [Lb Nb].
  assert (H0 : In y0 (corners P (zero d, 0%nat))) by (rewrite Ey; now left).
  assert (X0 : In (plus y0 u) (corners P b)) by (apply (proj2 (Cb _)); exists y0; auto).
  unfold corners in X0. apply in_map_iff in X0 as (k & Ek & Hk).
  assert (Lk : length k = d) by now apply (cell_corner_length P (snd b)).
  assert (Ly : length y0 = d) by (apply (CL 0%nat); [assumption|rewrite Ey; now left]).
  set (w := minus k y0). assert (Lw : length w = d) by (unfold w; rewrite minus_length; lia).
  assert (Eu : u = plus w (times (unit P) (fst b))) by (apply (sum5 d); auto).
  destruct (of_the_lattice P w) eqn:O.
  { unfold of_the_lattice in O. apply same_iff in O. exists (plus (divided (unit P) w) (fst b)). split; [rewrite plus_length, divided_length; fold d in Lb; lia|].
    rewrite Eu, O at 1. apply (sum7 d); [now rewrite divided_length|assumption]. }
  exfalso. assert (Hw : In w (map (fun k => minus k y0) (flat_map snd (cell P)))).
  { apply in_map_iff. exists k. split; [reflexivity|]. apply in_flat_map. exists (nth (snd b) (cell P) (0, [])).
    split; [now apply nth_In|assumption]. }
  pose proof (find_none _ _ M w Hw) as F. cbv beta in F. rewrite O in F. cbn [negb andb] in F.
  rewrite <- not_true_iff_false in F. apply F, forall_below_iff. intros n Hn. unfold translated. fold d.
  destruct (T n Hn) as (a & Ha & Ka & Ca). set (moved := (minus (fst a) (fst b), snd a)).
  assert (Am : is_atom P moved).
  { destruct Ha as [La Na]. split; [unfold moved; cbn [fst]; rewrite minus_length; fold d in La, Lb |- *; lia|assumption]. }
  assert (Cm : forall x, In x (corners P moved) <-> In x (map (fun y => plus y w) (corners P (zero d, n)))).
  { intros x. unfold moved. rewrite cell_corners_moved by assumption. rewrite in_map_iff. split.
    - intros (y & Hy & ->). apply Ca in Hy as (z & Hz & ->). exists z. split; [|assumption]. rewrite Eu.
      symmetry. apply (sum6 d); [now apply (CL n)|assumption|assumption].
    - intros (z & <- & Hz). exists (plus z u). split; [apply Ca; eauto|]. rewrite Eu.
      symmetry. apply (sum6 d); [now apply (CL n)|assumption|assumption]. }
  destruct (map (fun y => plus y w) (corners P (zero d, n))) as [|x xs] eqn:Em.
  { apply map_eq_nil in Em. unfold corners in Em. apply map_eq_nil in Em. unfold cell_ok in C. apply andb_true_iff in C as [_ C].
    rewrite forallb_forall in C. cbn [snd] in Em. set (cn := nth _ _ _) in Em. specialize (C cn ltac:(now apply nth_In)).
    clearbody cn. destruct cn as [z ks]. cbn [snd] in *. subst ks. discriminate. }
  apply existsb_exists. exists moved. split; [apply atoms_found; [assumption|assumption|apply Cm; now left]|].
  apply andb_true_iff. split; [apply same_kind_iff; exact Ka|]. apply same_iff. now apply set_of_same.
Qed.

Definition is_grid_b (P : puzzle) : bool :=
  lattice_b P && forallb (isometry_b P) (symmetries P) && cell_ok P && places_differ_b P &&
  match missing_translation P with None => true | _ => false end &&
  forallb (is_atom_b P) (required P ++ optional P) &&
  Nat.eqb (length (set_of (required P ++ optional P))) (length (required P ++ optional P)) &&
  forallb (fun t => forallb (is_atom_b P) (body t)) (tiles P).

Theorem is_grid_sound P : is_grid_b P = true -> is_grid P.
Proof.
  unfold is_grid_b. rewrite !andb_true_iff, !forallb_forall, Nat.eqb_eq. intros [[[[[[[L S] C] D] M] F] O] T]. split.
  - now apply lattice_iff.
  - intros g Hg. now apply isometry_sound, S.
  - apply translations_sound; [assumption|]. destruct (missing_translation P); [discriminate|reflexivity].
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
