(** * The matrices of isometries

    The images of the lattice vectors under an isometry are as long as these, so they lie in a box; every matrix with such columns is tried. *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Geometry Grid.
Import ListNotations.
Open Scope Z_scope.

(** ** Vectors of the length of a lattice vector *)

Definition range (b : Z) : list Z := map (fun k => Z.of_nat k - b) (seq 0 (Z.to_nat (2 * b + 1))).
Fixpoint box (d : nat) (r : list Z) : list point :=
  match d with 0%nat => [[]] | S d => flat_map (fun x => map (cons x) (box d r)) r end.

Lemma range_In b x : - b <= x <= b -> In x (range b).
Proof. intros H. apply in_map_iff. exists (Z.to_nat (x + b)). split; [lia|]. apply in_seq. lia. Qed.

Lemma box_In r d : forall v, length v = d -> (forall x, In x v -> In x r) -> In v (box d r).
Proof.
  induction d as [|d IH]; intros [|x v] L H; try discriminate; cbn [box]; [now left|].
  apply in_flat_map. exists x. split; [apply H; now left|]. apply in_map, IH; [now injection L|]. intros y Hy. apply H. now right.
Qed.

(** A vector with a coordinate beyond [b] is longer than all lattice vectors. *)
Definition bound_ok (P : puzzle) (b : Z) : bool :=
  (0 <=? b) &&
  let far g minor det := g * minor <? det * ((b + 1) * (b + 1)) in
  match gram P with
  | [[a1; a2]; [b1; b2]] =>
    let det := a1 * b2 - a2 * a2 in
    (a2 =? b1) && (0 <? a1) && (0 <? b2) && (0 <? det) &&
    forallb (fun g => far g a1 det && far g b2 det) [a1; b2]
  | [[a1; a2; a3]; [b1; b2; b3]; [c1; c2; c3]] =>
    let det := a1 * (b2 * c3 - b3 * b3) - a2 * (a2 * c3 - a3 * b3) + a3 * (a2 * b3 - a3 * b2) in
    let m3 := a1 * b2 - a2 * a2 in let m2 := a1 * c3 - a3 * a3 in let m1 := b2 * c3 - b3 * b3 in
    (a2 =? b1) && (a3 =? c1) && (b3 =? c2) && (0 <? a1) && (0 <? b2) && (0 <? c3) &&
    (0 <? m1) && (0 <? m2) && (0 <? m3) && (0 <? det) &&
    forallb (fun g => far g m1 det && far g m2 det && far g m3 det) [a1; b2; c3]
  | _ => false
  end.

Lemma bound2 a b e x y l : 0 < a -> a * x * x + 2 * b * x * y + e * y * y = l -> (a * e - b * b) * (y * y) <= l * a.
Proof.
  intros A E. assert (I : l * a - (a * e - b * b) * (y * y) = (a * x + b * y) * (a * x + b * y)) by (rewrite <- E; ring).
  pose proof (Z.square_nonneg (a * x + b * y)). lia.
Qed.

Lemma bound3 a b c d e f x y z l : 0 < a -> 0 < a * d - b * b ->
  a * x * x + d * y * y + f * z * z + 2 * b * x * y + 2 * c * x * z + 2 * e * y * z = l ->
  (a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)) * (z * z) <= l * (a * d - b * b).
Proof.
  intros A M E. set (m := a * d - b * b) in *. set (D := a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)).
  assert (I : a * (l * m - D * (z * z)) = m * ((a * x + b * y + c * z) * (a * x + b * y + c * z))
    + (m * y + (a * e - b * c) * z) * (m * y + (a * e - b * c) * z)) by (rewrite <- E; unfold D, m; ring).
  pose proof (Z.square_nonneg (a * x + b * y + c * z)) as S1. pose proof (Z.square_nonneg (m * y + (a * e - b * c) * z)) as S2.
  assert (0 <= a * (l * m - D * (z * z))) by (rewrite I; nia). nia.
Qed.

Lemma small D x b l : 0 < D -> 0 <= b -> D * (x * x) <= l -> l < D * ((b + 1) * (b + 1)) -> - b <= x <= b.
Proof. intros HD Hb H1 H2. assert (x * x < (b + 1) * (b + 1)) by nia. nia. Qed.

Lemma bounded P b v i : bound_ok P b = true -> length v = dimension P -> (i < dimension P)%nat ->
  inner P v v = inner P (basis (dimension P) i) (basis (dimension P) i) -> In v (box (dimension P) (range b)).
Proof.
  unfold bound_ok, inner, dimension. intros B L Hi E. apply andb_true_iff in B as [B0 B]. apply Z.leb_le in B0.
  destruct (gram P) as [|[|a1 [|a2 [|a3 [|? ?]]]] [|[|b1 [|b2 [|b3 [|? ?]]]] [|[|c1 [|c2 [|c3 [|? ?]]]] [|? ?]]]]; try discriminate.
  - cbv zeta in B. cbn [forallb] in B. rewrite !andb_true_iff, Z.eqb_eq, !Z.ltb_lt in B.
    destruct B as ((((Eb & A) & C) & D) & ((F1 & F2) & (F3 & F4) & _)). subst b1.
    destruct v as [|x [|y [|? ?]]]; try discriminate.
    unfold basis in E. cbn [length] in E, Hi.
    assert (El : a1 * x * x + 2 * a2 * x * y + b2 * y * y = a1 \/ a1 * x * x + 2 * a2 * x * y + b2 * y * y = b2).
    { destruct i as [|[|i]]; cbn [apply map product seq Nat.eqb] in E; [left|right|lia]; lia. }
    apply box_In; [reflexivity|]. intros u Hu. apply range_In.
    assert (Y : - b <= y <= b /\ - b <= x <= b).
    { destruct El as [El|El].
      - pose proof (bound2 _ _ _ _ _ _ A El) as U.
        assert (El' : b2 * y * y + 2 * a2 * y * x + a1 * x * x = a1) by (rewrite <- El at 2; ring).
        pose proof (bound2 _ _ _ _ _ _ C El') as V. replace (b2 * a1 - a2 * a2) with (a1 * b2 - a2 * a2) in V by ring.
        split; eapply small; eauto.
      - pose proof (bound2 _ _ _ _ _ _ A El) as U.
        assert (El' : b2 * y * y + 2 * a2 * y * x + a1 * x * x = b2) by (rewrite <- El at 2; ring).
        pose proof (bound2 _ _ _ _ _ _ C El') as V. replace (b2 * a1 - a2 * a2) with (a1 * b2 - a2 * a2) in V by ring.
        split; eapply small; eauto. }
    destruct Hu as [<-|[<-|[]]]; tauto.
  - cbv zeta in B. cbn [forallb] in B. rewrite !andb_true_iff, !Z.eqb_eq, !Z.ltb_lt in B.
    destruct B as ((((((((((E1 & E2) & E3) & A) & C) & F) & M1) & M2) & M3) & D) & (G1 & G2 & G3 & _)). subst b1 c1 c2.
    destruct v as [|x [|y [|z [|? ?]]]]; try discriminate.
    unfold basis in E. cbn [length] in E, Hi.
    set (det := a1 * (b2 * c3 - b3 * b3) - a2 * (a2 * c3 - a3 * b3) + a3 * (a2 * b3 - a3 * b2)) in *.
    assert (El : exists l, a1 * x * x + b2 * y * y + c3 * z * z + 2 * a2 * x * y + 2 * a3 * x * z + 2 * b3 * y * z = l /\
      l * (b2 * c3 - b3 * b3) < det * ((b + 1) * (b + 1)) /\ l * (a1 * c3 - a3 * a3) < det * ((b + 1) * (b + 1)) /\
      l * (a1 * b2 - a2 * a2) < det * ((b + 1) * (b + 1))).
    { destruct i as [|[|[|i]]]; cbn [apply map product seq Nat.eqb] in E; [exists a1|exists b2|exists c3|lia]; (split; [lia|tauto]). }
    destruct El as (l & El & L1 & L2 & L3).
    pose proof (bound3 _ _ _ _ _ _ _ _ _ _ A M3 El) as U3. fold det in U3.
    assert (El2 : a1 * x * x + c3 * z * z + b2 * y * y + 2 * a3 * x * z + 2 * a2 * x * y + 2 * b3 * z * y = l) by (rewrite <- El; ring).
    pose proof (bound3 _ _ _ _ _ _ _ _ _ _ A M2 El2) as U2.
    replace (a1 * (c3 * b2 - b3 * b3) - a3 * (a3 * b2 - a2 * b3) + a2 * (a3 * b3 - a2 * c3)) with det in U2 by (unfold det; ring).
    assert (El1 : b2 * y * y + c3 * z * z + a1 * x * x + 2 * b3 * y * z + 2 * a2 * y * x + 2 * a3 * z * x = l) by (rewrite <- El; ring).
    pose proof (bound3 _ _ _ _ _ _ _ _ _ _ C M1 El1) as U1.
    replace (b2 * (c3 * a1 - a3 * a3) - b3 * (b3 * a1 - a2 * a3) + a2 * (b3 * a3 - a2 * c3)) with det in U1 by (unfold det; ring).
    apply box_In; [reflexivity|]. intros u Hu. apply range_In.
    destruct Hu as [<-|[<-|[<-|[]]]]; eapply small; eauto.
Qed.

(** ** Matrices *)

Definition transposed (d : nat) (columns : list point) : list point :=
  map (fun k => map (fun c => nth k c 0) columns) (seq 0 d).
Fixpoint choose (ls : list (list point)) : list (list point) :=
  match ls with [] => [[]] | l :: ls => flat_map (fun v => map (cons v) (choose ls)) l end.
Definition images_of (P : puzzle) (b : Z) (i : nat) : list point :=
  let d := dimension P in filter (fun v => inner P v v =? inner P (basis d i) (basis d i)) (box d (range b)).
Definition keeps_products (P : puzzle) (m : list point) : bool :=
  let d := dimension P in
  forall_below d (fun i => forall_below d (fun j =>
    inner P (apply m (basis d i)) (apply m (basis d j)) =? inner P (basis d i) (basis d j))).
Definition matrices (P : puzzle) (b : Z) : list (list point) :=
  filter (keeps_products P) (map (transposed (dimension P)) (choose (map (images_of P b) (seq 0 (dimension P))))).

Lemma choose_In ls vs : Forall2 (fun v l => In v l) vs ls -> In vs (choose ls).
Proof. induction 1; cbn [choose]; [now left|]. apply in_flat_map. eexists. split; [eassumption|]. now apply in_map. Qed.

Lemma matrices_In P b g : bound_ok P b = true -> isometry P g -> In (matrix g) (matrices P b).
Proof.
  intros B ((L & R) & K & _). set (d := dimension P) in *.
  assert (D : d = 2%nat \/ d = 3%nat).
  { unfold bound_ok in B. apply andb_true_iff in B as [_ B]. unfold d, dimension.
    destruct (gram P) as [|[|a1 [|a2 [|a3 [|? ?]]]] [|[|b1 [|b2 [|b3 [|? ?]]]] [|[|c1 [|c2 [|c3 [|? ?]]]] [|? ?]]]]; try discriminate; auto. }
  unfold matrices. apply filter_In. split.
  - apply in_map_iff. exists (map (fun i => apply (matrix g) (basis d i)) (seq 0 d)). split.
    + fold d. destruct (matrix g) as [|r1 [|r2 [|r3 [|? ?]]]]; cbn [length] in L; destruct D as [-> | ->]; try discriminate.
      * pose proof (R r1 ltac:(cbn; auto)) as L1. pose proof (R r2 ltac:(cbn; auto)) as L2.
        destruct r1 as [|? [|? [|? ?]]]; try discriminate L1. destruct r2 as [|? [|? [|? ?]]]; try discriminate L2.
        unfold transposed, basis. cbn -[Z.mul Z.add]. repeat match goal with |- context [?x * 1] => rewrite (Z.mul_1_r x) | |- context [?x * 0] => rewrite (Z.mul_0_r x) end.
        repeat rewrite ?Z.add_0_r, ?Z.add_0_l. reflexivity.
      * pose proof (R r1 ltac:(cbn; auto)) as L1. pose proof (R r2 ltac:(cbn; auto)) as L2. pose proof (R r3 ltac:(cbn; auto)) as L3.
        destruct r1 as [|? [|? [|? [|? ?]]]]; try discriminate L1. destruct r2 as [|? [|? [|? [|? ?]]]]; try discriminate L2.
        destruct r3 as [|? [|? [|? [|? ?]]]]; try discriminate L3.
        unfold transposed, basis. cbn -[Z.mul Z.add]. repeat match goal with |- context [?x * 1] => rewrite (Z.mul_1_r x) | |- context [?x * 0] => rewrite (Z.mul_0_r x) end.
        repeat rewrite ?Z.add_0_r, ?Z.add_0_l. reflexivity.
    + apply choose_In. fold d. assert (G : forall s, (forall i, In i s -> (i < d)%nat) ->
        Forall2 (fun v l => In v l) (map (fun i => apply (matrix g) (basis d i)) s) (map (images_of P b) s)).
      { induction s as [|i s IH]; intros H; cbn [map]; constructor.
        - unfold images_of. fold d. assert (Hi : (i < d)%nat) by (apply H; now left). apply filter_In. split.
          + apply (bounded P b _ i B); [|assumption|now apply K]. unfold apply. now rewrite map_length.
          + apply Z.eqb_eq. now apply K.
        - apply IH. intros j Hj. apply H. now right. }
      apply G. intros i Hi. apply in_seq in Hi. lia.
  - unfold keeps_products. fold d. apply forall_below_iff. intros i Hi. apply forall_below_iff. intros j Hj. apply Z.eqb_eq. now apply K.
Qed.
