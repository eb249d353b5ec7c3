(** * No symmetry of the grid is missing

    With the matrix of an isometry, the first corner of the first atom goes to some corner, up to a lattice vector. So there are finitely
    many motions to test; each of them is stated, or takes some atom to a place without an atom. *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Geometry Grid Vectors.
Import ListNotations.
Open Scope Z_scope.

(** ** Motions with a matrix *)

Definition takes_atoms_b (P : puzzle) (g : symmetry) : bool :=
  Nat.eqb (length (image g)) (length (cell P)) && Nat.eqb (length (shift g)) (length (cell P)) &&
  forallb (fun n => Nat.ltb n (length (cell P))) (image g) && forallb (fun v => Nat.eqb (length v) (dimension P)) (shift g).

(** The corners of atom [n] of the cell at 0 after a motion, and the atoms of its kind that have these corners. *)
Definition target (P : puzzle) (m : list point) (v : point) (n : nat) : list point :=
  map (fun y => plus (apply m y) v) (corners P (zero (dimension P), n)).
Definition atoms_there (P : puzzle) (m : list point) (v : point) (n : nat) : list atom :=
  match target P m v n with
  | [] => []
  | x :: _ => filter (fun a => same_kind P a (zero (dimension P), n) && same_members (corners P a) (target P m v n)) (atoms_at P x)
  end.
Definition is_stated (P : puzzle) (m : list point) (v : point) : bool :=
  existsb (fun h => same (matrix h) m && existsb (fun a =>
    let w := minus (fst a) (fst (move h (zero (dimension P)) (zero (dimension P), 0%nat))) in
    Nat.eqb (length w) (dimension P) &&
    forall_below (length (cell P)) (fun n => same_members (corners P (move h w (zero (dimension P), n))) (target P m v n)))
    (atoms_there P m v 0)) (symmetries P).
Definition motion_known (P : puzzle) (m : list point) (v : point) : bool :=
  existsb (fun n => match atoms_there P m v n with [] => true | _ => false end) (seq 0 (length (cell P))) || is_stated P m v.

Definition complete_within (P : puzzle) (b : Z) : bool :=
  bound_ok P b && forallb (takes_atoms_b P) (symmetries P) &&
  match corners P (zero (dimension P), 0%nat) with
  | [] => false
  | y :: _ => forallb (fun m => forallb (fun k => motion_known P m (minus k (apply m y))) (flat_map snd (cell P))) (matrices P b)
  end.
Definition complete_b (P : puzzle) : bool :=
  match List.find (bound_ok P) (map Z.of_nat (seq 1 12)) with Some b => complete_within P b | None => false end.

(** Some sums of vectors. *)
Lemma sum1 d : forall a y g u k, length a = d -> length y = d -> length u = d -> length k = d -> plus y g = plus u k ->
  plus a (minus k y) = minus (plus a g) u.
Proof.
  induction d as [|d IH]; intros [|? a] [|? y] [|? g] [|? u] [|? k] La Ly Lu Lk E; try discriminate; auto.
  cbn in *. injection E as E0 E. f_equal; [lia|]. apply (IH a y g u k); congruence.
Qed.
Lemma sum3 d : forall m s v c cn, length m = d -> length s = d -> length v = d -> length c = d -> length cn = d ->
  plus (plus (zero d) s) v = minus cn c -> plus (plus m s) (plus v c) = plus m cn.
Proof.
  induction d as [|d IH]; intros [|? m] [|? s] [|? v] [|? c] [|? cn]; cbn; intros; try discriminate; auto.
  match goal with H : _ :: _ = _ :: _ |- _ => injection H as E0 E end. f_equal; [lia|]. apply IH; first [exact E|congruence].
Qed.
Lemma sum4 d : forall p q, length p = d -> length q = d -> minus p q = zero d -> p = q.
Proof.
  induction d as [|d IH]; intros [|? p] [|? q]; cbn; intros; try discriminate; auto.
  match goal with H : _ :: _ = _ :: _ |- _ => injection H as E0 E end. f_equal; [lia|]. apply IH; first [exact E|congruence].
Qed.
Lemma minus_self p : minus p p = zero (length p).
Proof. induction p; cbn; auto. f_equal; [lia|assumption]. Qed.
Lemma plus_0 d : forall p, length p = d -> plus p (zero d) = p.
Proof. induction d as [|d IH]; intros [|? p]; cbn; intros; try discriminate; auto. f_equal; [lia|]. apply IH. congruence. Qed.
Lemma zero_plus d : forall s, length s = d -> plus (zero d) s = s.
Proof. induction d as [|d IH]; intros [|x s]; cbn; intros; try discriminate; auto. f_equal. apply IH. congruence. Qed.
Lemma apply_zero m d : apply m (zero d) = zero (length m).
Proof.
  unfold apply. induction m as [|r m IH]; cbn; [reflexivity|]. f_equal; [|assumption]. clear.
  revert r. induction d as [|d IH]; intros [|x r]; cbn; auto. rewrite IH. lia.
Qed.

Section Complete.
Variable P : puzzle.
Let d := dimension P.
Hypothesis grid : is_grid_b P = true.

Lemma grid_cell : cell_ok P = true.
Proof. unfold is_grid_b in grid. rewrite !andb_true_iff in grid. tauto. Qed.

Lemma corner_length n k : (n < length (cell P))%nat -> In k (snd (nth n (cell P) (0, []))) -> length k = d.
Proof. now apply cell_corner_length, grid_cell. Qed.
Lemma corners_moved a c x : is_atom P a -> length c = d ->
  In x (corners P (minus (fst a) c, snd a)) <-> exists y, In y (corners P a) /\ x = minus y (times (unit P) c).
Proof. now apply cell_corners_moved, grid_cell. Qed.

Lemma same_place a b : is_atom P a -> is_atom P b -> kind P a = kind P b ->
  (forall x, In x (corners P a) <-> In x (corners P b)) -> a = b.
Proof.
  intros Ha Hb K E. pose proof Ha as [La Na]. pose proof Hb as [Lb Nb].
  assert (X : (minus (fst a) (fst b), snd a) = (minus (fst b) (fst b), snd b)).
  { apply (places_differ P (is_grid_sound P grid)).
    - split; cbn; [rewrite minus_length; fold d in La, Lb |- *; lia|assumption].
    - split; cbn; [rewrite minus_length; fold d in Lb |- *; lia|assumption].
    - cbn. rewrite minus_self, Lb. reflexivity.
    - exact K.
    - intros x. rewrite !corners_moved by assumption. split; intros (y & Hy & ->); exists y; (split; [now apply E|reflexivity]). }
  injection X as X1 X2. rewrite minus_self, Lb in X1. apply (sum4 d) in X1; [|assumption|assumption].
  destruct a, b; cbn in *; congruence.
Qed.

Lemma takes_atoms_iff g : takes_atoms_b P g = true -> takes_atoms P g.
Proof.
  unfold takes_atoms_b, takes_atoms. rewrite !andb_true_iff, !Nat.eqb_eq, !forallb_forall. intros [[[A B] C] D].
  repeat (split; [assumption|]). split; [intros n Hn; now apply Nat.ltb_lt, C|intros v Hv; now apply Nat.eqb_eq, D].
Qed.

Lemma shift_length g n : takes_atoms P g -> (n < length (cell P))%nat -> length (nth n (shift g) []) = d.
Proof. intros (_ & L & _ & S) Hn. apply S, nth_In. lia. Qed.
Lemma image_below g n : takes_atoms P g -> (n < length (cell P))%nat -> (nth n (image g) 0 < length (cell P))%nat.
Proof. intros (L & _ & I & _) Hn. apply I, nth_In. lia. Qed.

Lemma moved_atom g v n : takes_atoms P g -> length (matrix g) = d -> length v = d -> (n < length (cell P))%nat ->
  is_atom P (move g v (zero d, n)).
Proof.
  intros T L Lv Hn. split; unfold move; cbn [fst snd].
  - rewrite !plus_length, (shift_length g n T Hn). unfold apply. rewrite map_length. fold d. lia.
  - now apply image_below.
Qed.

Theorem complete_sound : complete_b P = true -> has_all_symmetries P.
Proof.
  unfold complete_b. destruct (List.find (bound_ok P) _) as [b|]; [|discriminate]. unfold complete_within.
  rewrite !andb_true_iff, forallb_forall. intros [[B T] C] g Ig Tg. fold d in C |- *.
  pose proof (matrices_In P b g B Ig) as Hm. destruct Ig as ((Lm & Rm) & _ & (tau & Tau)). fold d in Lm, Rm, Tau.
  change (repeat 0 d) with (zero d) in *.
  destruct (corners P (zero d, 0%nat)) as [|y0 more] eqn:Ey; [discriminate|].
  assert (N0 : (0 < length (cell P))%nat).
  { destruct (cell P) as [|c0 cs] eqn:Ec; [|cbn; lia]. unfold corners in Ey. rewrite Ec in Ey. discriminate. }
  rewrite forallb_forall in C. specialize (C _ Hm). rewrite forallb_forall in C.
  assert (CL : forall n y, (n < length (cell P))%nat -> In y (corners P (zero d, n)) -> length y = d).
  { intros n y Hn Hy. unfold corners in Hy. apply in_map_iff in Hy as (k & <- & Hk). rewrite plus_length. unfold times. rewrite map_length.
    cbn [fst snd] in *. rewrite (corner_length n k Hn Hk). unfold zero. rewrite repeat_length. lia. }
  assert (Az : length (zero d) = d) by apply repeat_length.
  assert (AL : forall y, length (apply (matrix g) y) = d) by (intros y; unfold apply; now rewrite map_length).
  (* the first corner *)
  set (g0 := move g (zero d) (zero d, 0%nat)) in *.
  assert (A0 : is_atom P g0) by now apply moved_atom.
  destruct (Tau 0%nat N0) as [_ T0]. fold g0 in T0. cbv zeta in T0.
  assert (X0 : In (plus (apply (matrix g) y0) tau) (corners P g0)).
  { assert (Hy : In y0 (corners P (zero d, 0%nat))) by (rewrite Ey; now left).
    apply T0. exists y0. split; [exact Hy|reflexivity]. }
  unfold corners in X0. apply in_map_iff in X0 as (k & Ek & Hk).
  set (c := fst g0) in *. assert (Lc : length c = d) by apply A0.
  assert (Lk : length k = d) by (apply (corner_length (snd g0)); [apply A0|assumption]).
  assert (Hk' : In k (flat_map snd (cell P))).
  { apply in_flat_map. exists (nth (snd g0) (cell P) (0, [])). split; [apply nth_In, A0|assumption]. }
  specialize (C k Hk'). set (v := minus k (apply (matrix g) y0)) in *.
  (* the image of each atom, moved back by the vector c *)
  set (back := fun n => (minus (fst (move g (zero d) (zero d, n))) c, snd (move g (zero d) (zero d, n)))).
  assert (Back : forall n, (n < length (cell P))%nat -> is_atom P (back n) /\ kind P (back n) = kind P (zero d, n) /\
    forall x, In x (corners P (back n)) <-> In x (target P (matrix g) v n)).
  { intros n Hn. assert (An : is_atom P (move g (zero d) (zero d, n))) by now apply moved_atom.
    destruct (Tau n Hn) as [Kn Tn]. split; [|split].
    - destruct An as [L1 L2]. split; unfold back; cbn [fst snd]; [rewrite minus_length; fold d in L1 |- *; lia|assumption].
    - transitivity (kind P (move g (zero d) (zero d, n))); [reflexivity|symmetry; exact Kn].
    - intros x. unfold back. rewrite corners_moved by assumption. unfold target. fold d. rewrite in_map_iff. split.
      + intros (y & Hy & ->). apply Tn in Hy as (z & Hz & ->). exists z. split; [|assumption].
        apply (sum1 d); auto; try (unfold times; now rewrite map_length); now rewrite Ek.
      + intros (z & <- & Hz). exists (plus (apply (matrix g) z) tau). split; [apply Tn; eauto|].
        apply (sum1 d); auto; try (unfold times; now rewrite map_length); now rewrite Ek. }
  assert (There : forall n, (n < length (cell P))%nat -> In (back n) (atoms_there P (matrix g) v n)).
  { intros n Hn. destruct (Back n Hn) as (An & Kn & En). unfold atoms_there. destruct (target P (matrix g) v n) as [|x xs] eqn:Et.
    - exfalso. unfold target in Et. apply map_eq_nil in Et. pose proof grid_cell as Cc. unfold cell_ok in Cc.
      apply andb_true_iff in Cc as [_ Cc]. rewrite forallb_forall in Cc. unfold corners in Et. apply map_eq_nil in Et. cbn [snd] in Et.
      set (cn := nth _ _ _) in Et. specialize (Cc cn ltac:(now apply nth_In)). clearbody cn. destruct cn as [z ks]. cbn [snd] in *.
      subst ks. discriminate.
    - apply filter_In. split.
      + apply atoms_found; [apply grid_cell|assumption|]. apply En. now left.
      + apply andb_true_iff. split; [apply same_kind_iff; exact Kn|]. unfold same_members. apply same_iff. now apply set_of_same. }
  unfold motion_known in C. apply orb_true_iff in C as [C|C].
  { apply existsb_exists in C as (n & Hn & C). apply in_seq in Hn. specialize (There n ltac:(lia)).
    destruct (atoms_there P (matrix g) v n); [destruct There|discriminate]. }
  unfold is_stated in C. apply existsb_exists in C as (h & Hh & C). apply andb_true_iff in C as [Mh C]. apply same_iff in Mh.
  apply existsb_exists in C as (a & _ & C). cbv zeta in C. fold d in C.
  set (w := minus (fst a) (fst (move h (zero d) (zero d, 0%nat)))) in *. apply andb_true_iff in C as [Lw C].
  apply Nat.eqb_eq in Lw. rewrite forall_below_iff in C.
  specialize (T h Hh). apply takes_atoms_iff in T.
  destruct (of_isometries P (is_grid_sound P grid) h Hh) as (_ & _ & (tau' & Tau')). fold d in Tau'.
  change (repeat 0 d) with (zero d) in Tau'.
  assert (Lh : length (matrix h) = d) by now rewrite Mh.
  assert (Same : forall n, (n < length (cell P))%nat -> move h w (zero d, n) = back n).
  { intros n Hn. destruct (Back n Hn) as (An & Kn & En). apply same_place.
    - now apply moved_atom.
    - assumption.
    - rewrite Kn. symmetry. exact (proj1 (Tau' n Hn)).
    - intros x. rewrite En. specialize (C n Hn). unfold same_members in C. apply same_iff in C.
      rewrite <- (set_of_In x (corners P _)), C. apply set_of_In. }
  exists h, (plus w c). split; [assumption|]. split; [assumption|]. split; [rewrite plus_length; lia|].
  intros [p n] [Lp Hn]. cbn [fst snd] in Lp, Hn. specialize (Same n Hn).
  unfold back, move in Same. cbn [fst snd] in Same. injection Same as S1 S2.
  unfold move. cbn [fst snd]. f_equal; [|congruence].
  assert (Zg : plus (plus (apply (matrix g) (zero d)) (nth n (shift g) [])) (zero d) = nth n (shift g) []).
  { rewrite apply_zero, Lm. pose proof (shift_length g n Tg Hn) as Ls.
    rewrite (zero_plus d) by assumption. now apply plus_0. }
  rewrite Zg in S1. rewrite apply_zero, Lh in S1.
  rewrite Mh. rewrite (plus_0 d) by (rewrite plus_length, AL, (shift_length g n Tg Hn); lia).
  symmetry. apply (sum3 d); auto; now apply shift_length.
Qed.
End Complete.
