(** * Weights: no choice of tiles adds up to the weight of the form

    Each required atom is covered once, and only required atoms have weights; so the weights of the placements of a solution add up to
    the weight of the form, perhaps modulo some number. The sums that tiles can reach are found tile by tile. *)

From Coq Require Import List Bool ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets Find Covers Symmetry Geometry.
Import ListNotations.
Open Scope Z_scope.

Definition residue (m x : Z) : Z := if m =? 0 then x else x mod m.

Definition add_values (m : Z) (sums values : list Z) : list Z :=
  set_of (flat_map (fun v => map (fun s => residue m (s + v)) sums) values).

(** [sums] are the sums that [n] copies of a tile reach; up to [room] more copies may follow. *)
Fixpoint with_copies (m : Z) (values : list Z) (fewest : Z) (n room : nat) (sums : list Z) : list Z :=
  (if fewest <=? Z.of_nat n then sums else []) ++
  match room with 0%nat => [] | S room => with_copies m values fewest (S n) room (add_values m sums values) end.

(** Extend the sums by each tile: the values of its placements, and its least and largest number of copies. *)
Fixpoint reached (m : Z) (tiles : list (list Z * Z * nat)) (sums : list Z) : list Z :=
  match tiles with
  | [] => sums
  | (values, fewest, most) :: tiles => reached m tiles (set_of (with_copies m values fewest 0 most sums))
  end.

Lemma residue_residue m x y : residue m (residue m x + y) = residue m (x + y).
Proof. unfold residue. destruct (m =? 0); [reflexivity|]. apply Zplus_mod_idemp_l. Qed.
Lemma residue_idem m x : residue m (residue m x) = residue m x.
Proof. pose proof (residue_residue m x 0) as E. now rewrite !Z.add_0_r in E. Qed.

Lemma with_copies_reach m values fewest M : (forall v, In v M -> In v values) -> forall n room sums s,
  (length M <= room)%nat -> fewest <= Z.of_nat (n + length M) -> In s sums -> residue m s = s ->
  In (residue m (s + sum M)) (with_copies m values fewest n room sums).
Proof.
  induction M as [|v M IH]; intros V n room sums s L F Hs R.
  - unfold sum; cbn [fold_right]. rewrite Z.add_0_r, R. cbn [length] in F. rewrite Nat.add_0_r in F. apply Z.leb_le in F.
    destruct room; cbn [with_copies]; rewrite F; apply in_or_app; now left.
  - destruct room as [|room]; [cbn in L; lia|]. cbn [with_copies]. apply in_or_app. right.
    replace (residue m (s + sum (v :: M))) with (residue m (residue m (s + v) + sum M)).
    + apply IH.
      * intros u Hu. apply V. now right.
      * cbn in L. lia.
      * cbn [length] in F. now replace (S n + length M)%nat with (n + S (length M))%nat by lia.
      * apply set_of_In, in_flat_map. exists v. split; [apply V; now left|]. now apply in_map with (f := fun s => residue m (s + v)).
      * apply residue_idem.
    + rewrite residue_residue. f_equal. unfold sum; cbn [fold_right]. lia.
Qed.

Lemma with_copies_normal m values fewest room : forall n sums, (forall s, In s sums -> residue m s = s) ->
  forall s, In s (with_copies m values fewest n room sums) -> residue m s = s.
Proof.
  induction room as [|room IH]; intros n sums H s Hs; cbn [with_copies] in Hs; apply in_app_iff in Hs as [Hs|Hs].
  - destruct (fewest <=? Z.of_nat n); [auto|destruct Hs].
  - destruct Hs.
  - destruct (fewest <=? Z.of_nat n); [auto|destruct Hs].
  - apply (IH _ _) in Hs; [assumption|]. intros u Hu. unfold add_values in Hu. rewrite set_of_In in Hu.
    apply in_flat_map in Hu as (v & _ & Hu). apply in_map_iff in Hu as (w & <- & _). apply residue_idem.
Qed.

Section Weights.
Variable P : puzzle.
Variable w : atom -> Z.
Hypothesis w_required : forall a, w a <> 0 -> In a (required P).

Definition value (p : placement) : Z := sum (map w (covers p)).
Definition form_value : Z := sum (map w (set_of (required P))).

Lemma sum_app l m : sum (l ++ m) = sum l + sum m.
Proof. unfold sum. induction l as [|x l IH]; cbn; lia. Qed.

Variable T : list placement.
Hypothesis sol : covering P T.

Lemma covered_once : NoDup (flat_map covers T).
Proof.
  apply Orbits.NoDup_flat_map.
  - apply ascending_NoDup, (a_set P T sol).
  - intros p Hp. destruct (of_placements P T sol p Hp) as ((t & _ & _ & _ & _ & _ & _ & _ & [[A _] _]) & _).
    now apply ascending_NoDup.
  - intros p q a Hp Hq Ha Hb. now apply (disjoint P T sol p q a).
Qed.

(** The weights of the placements add up to the weight of the form. *)
Lemma values_sum : sum (map value T) = form_value.
Proof.
  assert (E : sum (map value T) = sum (map w (flat_map covers T))).
  { clear sol. induction T as [|p l IH]; [reflexivity|]. cbn [map flat_map]. rewrite map_app, sum_app, <- IH. reflexivity. }
  rewrite E. transitivity (sum (map w (filter (fun a => member a (required P)) (flat_map covers T)))).
  - generalize (flat_map covers T) as l. induction l as [|a l IH]; [reflexivity|]. cbn [map filter].
    destruct (member a (required P)) eqn:M; cbn [map]; unfold sum in *; cbn [fold_right]; [lia|].
    destruct (Z.eq_dec (w a) 0) as [Z0|N]; [lia|]. apply w_required, member_iff in N. congruence.
  - unfold form_value. apply sum_Permutation, Permutation_map, NoDup_Permutation.
    + apply NoDup_filter, covered_once.
    + apply ascending_NoDup, set_of_ascending.
    + intros a. rewrite filter_In, set_of_In, member_iff, in_flat_map. split; [tauto|]. intros Ha. split; [|assumption].
      now apply (covered P T sol).
Qed.

(** Every placement belongs to one tile, so the sum of all values is the sum over the tiles. *)
Definition of_tile (n : nat) : list placement := filter (fun p => Nat.eqb (tile_of p) n) T.

Lemma by_tiles (value : placement -> Z) k : (forall p, In p T -> (tile_of p < k)%nat) ->
  sum (map value T) = sum (map (fun n => sum (map value (of_tile n))) (seq 0 k)).
Proof.
  unfold of_tile. clear sol. induction T as [|p l IH]; intros H.
  - induction (seq 0 k) as [|n s IHs]; [reflexivity|]. unfold sum in *. cbn in *. lia.
  - cbn [map]. assert (Hp : (tile_of p < k)%nat) by (apply H; now left).
    assert (One : forall s, NoDup s -> sum (map (fun n => sum (map value (filter (fun q => Nat.eqb (tile_of q) n) (p :: l)))) s)
      = (if in_dec Nat.eq_dec (tile_of p) s then value p else 0)
        + sum (map (fun n => sum (map value (filter (fun q => Nat.eqb (tile_of q) n) l))) s)).
    { clear. induction 1 as [|n s Hn N IH]; [reflexivity|]. cbn [map]. unfold sum at 1 4. cbn [fold_right].
      change (fold_right Z.add 0 ?x) with (sum x). rewrite IH. clear IH. cbn [filter].
      destruct (Nat.eq_dec (tile_of p) n) as [<-|E].
      - rewrite Nat.eqb_refl. destruct (in_dec Nat.eq_dec (tile_of p) (tile_of p :: s)) as [_|I]; [|exfalso; apply I; now left].
        destruct (in_dec Nat.eq_dec (tile_of p) s) as [J|_]; [contradiction|]. cbn [map]. unfold sum. cbn [fold_right]. lia.
      - rewrite (proj2 (Nat.eqb_neq _ _) E).
        destruct (in_dec Nat.eq_dec (tile_of p) (n :: s)) as [I|I], (in_dec Nat.eq_dec (tile_of p) s) as [J|J].
        + unfold sum. lia.
        + destruct I as [I|I]; congruence.
        + exfalso. apply I. now right.
        + unfold sum. lia. }
    rewrite One by apply seq_NoDup. unfold sum at 1. cbn [fold_right]. fold (sum (map value l)).
    rewrite IH by (intros q Hq; apply H; now right).
    destruct (in_dec _ _ _) as [_|N]; [lia|]. exfalso. apply N, in_seq. lia.
Qed.

Lemma reach_all m (spec : nat -> list Z * Z * nat) ns :
  (forall n, In n ns -> (forall p, In p (of_tile n) -> In (value p) (fst (fst (spec n)))) /\
    snd (fst (spec n)) <= Z.of_nat (length (of_tile n)) /\ (length (of_tile n) <= snd (spec n))%nat) ->
  forall sums s, In s sums -> (forall u, In u sums -> residue m u = u) ->
  In (residue m (s + sum (map (fun n => sum (map value (of_tile n))) ns))) (reached m (map spec ns) sums).
Proof.
  induction ns as [|n ns IH]; intros H sums s Hs R.
  - cbn. unfold sum; cbn [fold_right]. rewrite Z.add_0_r, R by assumption. assumption.
  - destruct (H n (or_introl eq_refl)) as (V & F & L). cbn [map reached]. destruct (spec n) as [[values fewest] most0].
    cbn [fst snd] in V, F, L.
    replace (residue m (s + sum (sum (map value (of_tile n)) :: map (fun n => sum (map value (of_tile n))) ns)))
      with (residue m (residue m (s + sum (map value (of_tile n))) + sum (map (fun n => sum (map value (of_tile n))) ns))).
    + apply IH.
      * intros k Hk. apply H. now right.
      * apply set_of_In. apply with_copies_reach; auto.
        -- intros v Hv. apply in_map_iff in Hv as (p & <- & Hp). now apply V.
        -- now rewrite map_length.
        -- now rewrite map_length.
      * intros u Hu. rewrite set_of_In in Hu. now apply with_copies_normal in Hu.
    + rewrite residue_residue. f_equal. unfold sum; cbn [fold_right]. lia.
Qed.

(** The number of placements is at most the number of atoms of the form. *)
Lemma copies_few n : (forall t, In t (tiles P) -> body t <> []) -> (length (of_tile n) <= length (form_list P))%nat.
Proof.
  intros B. transitivity (length T).
  { unfold of_tile. clear. induction T as [|p l IH]; [reflexivity|]. cbn. destruct (Nat.eqb (tile_of p) n); cbn; lia. }
  transitivity (length (flat_map covers T)).
  - assert (C : forall p, In p T -> covers p <> []).
    { intros p Hp. destruct (of_placements P T sol p Hp) as ((t & k & g & v & E & _ & _ & _ & [[_ A] _]) & _).
      apply nth_error_In in E. specialize (B t E). destruct (body t) as [|b more]; [congruence|]. intros N.
      rewrite N in A. apply (A (move g v b)). exists b. split; [now left|reflexivity]. }
    clear - C. induction T as [|p l IH]; [reflexivity|]. cbn [flat_map]. rewrite app_length.
    pose proof (C p (or_introl eq_refl)). destruct (covers p); [congruence|]. cbn [length].
    specialize (IH (fun q Hq => C q (or_intror Hq))). lia.
  - apply NoDup_incl_length; [apply covered_once|]. intros a Ha. apply in_flat_map in Ha as (p & Hp & Ha).
    apply form_list_iff. now apply (of_placements P T sol p Hp).
Qed.
End Weights.

(** The test: collect the weights of the possible placements of each tile, and decide whether the weight of the form can be reached. *)
Definition tile_values (P : puzzle) (w : atom -> Z) (possible : list placement) (n : nat) : list Z * Z * nat :=
  let limit := length (form_list P) in
  (set_of (map (value w) (filter (fun p => Nat.eqb (tile_of p) n) possible)), tile_low P n,
   match tile_high P n with Some h => Z.to_nat (Z.min h (Z.of_nat limit)) | None => limit end).

Definition too_heavy (P : puzzle) (w : atom -> Z) (m : Z) (possible : list placement) : bool :=
  negb (member (residue m (form_value P w)) (reached m (map (tile_values P w possible) (seq 0 (length (tiles P)))) [0])).

Theorem too_heavy_sound P w m possible T : (forall a, w a <> 0 -> In a (required P)) ->
  (forall t, In t (tiles P) -> body t <> []) -> covering P T -> (forall p, In p T -> In p possible) ->
  too_heavy P w m possible = true -> False.
Proof.
  intros W B HS I H. unfold too_heavy in H. apply negb_true_iff in H. apply not_true_iff_false in H. apply H, member_iff.
  assert (K : forall p, In p T -> (tile_of p < length (tiles P))%nat).
  { intros p Hp. destruct (of_placements P T HS p Hp) as ((t & _ & _ & _ & E & _) & _). apply nth_error_Some. congruence. }
  rewrite <- (values_sum P w W T HS), (by_tiles T (value w) (length (tiles P)) K).
  change (residue m (sum ?x)) with (residue m (0 + sum x)). apply reach_all; [|now left|].
  - intros n Hn. apply in_seq in Hn as [_ Hn]. cbn in Hn. unfold tile_values. cbn [fst snd]. split; [|split].
    + intros p Hp. apply filter_In in Hp as [Hp Tp]. apply set_of_In, in_map. apply filter_In. auto.
    + unfold tile_low. destruct (nth_error (tiles P) n) as [t|] eqn:E; [|lia]. now apply (kept_copies P T HS n t).
    + pose proof (copies_few P T HS n B) as L. unfold tile_high. destruct (nth_error (tiles P) n) as [t|] eqn:E.
      * destruct (kept_copies P T HS n t E) as [_ C]. unfold copies in C. fold (of_tile T n) in C.
        destruct (high t) as [h|]; cbn in C; [|assumption]. apply Nat2Z.inj_le. rewrite Z2Nat.id by lia. lia.
      * apply nth_error_None in E. lia.
  - intros u [<-|[]]. unfold residue. destruct (m =? 0); [reflexivity|apply Zmod_0_l].
Qed.
