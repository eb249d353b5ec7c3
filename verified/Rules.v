(** * Which acts keep the rules

    Rules are normalised first, so that more of the equivalent ones become equal: sums that all coverings share are subtracted, common
    divisors of the weights are divided out, and bounds are tightened to the sums that can be reached. Then an act keeps the rules if the
    image of each rule states the same as some rule, and each rule the same as some image. Two rules state the same if all weights are
    equal, if weights and bounds are negated, or, modulo a number, if one is the other times a unit. *)

From Coq Require Import List Bool ZArith Lia Permutation Znumtheory.
From PuzzleSat Require Import Statement Sets Cover Covers Symmetry Geometry Weighting.
Import ListNotations.
Open Scope Z_scope.

(** ** Sums *)

Lemma sum_cons x l : sum (x :: l) = x + sum l.
Proof. reflexivity. Qed.

Lemma sum_plus {A} (f g : A -> Z) l : sum (map (fun x => f x + g x) l) = sum (map f l) + sum (map g l).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [map]. rewrite !sum_cons, IH. lia. Qed.

Lemma sum_times {A} (k : Z) (f : A -> Z) l : sum (map (fun x => k * f x) l) = k * sum (map f l).
Proof. induction l as [|x l IH]; [cbn; lia|]. cbn [map]. rewrite !sum_cons, IH. lia. Qed.

Lemma sum_same {A} (k : Z) (l : list A) : sum (map (fun _ => k) l) = k * Z.of_nat (length l).
Proof. induction l as [|x l IH]; [cbn; lia|]. cbn [map length]. rewrite sum_cons, IH. lia. Qed.

(** If two functions agree on each member modulo a number, so do their sums. *)
Lemma sum_modulo {A} (m : Z) (f g : A -> Z) l : (forall x, In x l -> (m | f x - g x)) -> (m | sum (map f l) - sum (map g l)).
Proof.
  induction l as [|x l IH]; intros H; [exists 0; reflexivity|]. cbn [map]. rewrite !sum_cons.
  replace (f x + sum (map f l) - (g x + sum (map g l))) with ((f x - g x) + (sum (map f l) - sum (map g l))) by lia.
  apply Z.divide_add_r; [apply H; now left|]. apply IH. intros y Hy. apply H. now right.
Qed.

Lemma sum_between {A} (f : A -> Z) a b l : (forall x, In x l -> a <= f x <= b) ->
  a * Z.of_nat (length l) <= sum (map f l) <= b * Z.of_nat (length l).
Proof.
  induction l as [|x l IH]; intros H; [cbn; lia|]. cbn [map length]. rewrite sum_cons.
  specialize (IH (fun y Hy => H y (or_intror Hy))). specialize (H x (or_introl eq_refl)). lia.
Qed.

(** If two sums are equal up to a unit modulo [m], and their residues up to the same unit, then one rule holds exactly if the other does. *)
Lemma divided_alike m u s t r' r : Z.gcd u m = 1 -> (m | s - u * t) -> (m | r - u * r') -> ((m | s - r) <-> (m | t - r')).
Proof.
  intros U A B. assert (E : (m | s - r) <-> (m | u * (t - r'))).
  { replace (s - r) with (u * (t - r') + ((s - u * t) - (r - u * r'))) by lia.
    assert (D : (m | (s - u * t) - (r - u * r'))) by now apply Z.divide_sub_r. split; intros H.
    - replace (u * (t - r')) with (u * (t - r') + ((s - u * t) - (r - u * r')) - ((s - u * t) - (r - u * r'))) by lia.
      now apply Z.divide_sub_r.
    - now apply Z.divide_add_r. }
  rewrite E. split; intros H; [|now apply Z.divide_mul_r]. apply Z.gauss with u; [assumption|]. now rewrite Z.gcd_comm.
Qed.

(** ** What every covering adds *)

Section Rules.
Variable P : puzzle.
Variable placements : list placement.

(** The number of copies of a tile, if it is fixed. *)
Definition exact_copies (n : nat) : option Z :=
  match tile_high P n with Some h => if h =? tile_low P n then Some h else None | None => None end.
Definition free_weight (r : rule) (n : nat) : Z := match exact_copies n with Some _ => 0 | None => nth n (tile_weights r) 0 end.
Definition bound_weight (r : rule) (n : nat) : Z := match exact_copies n with Some k => k * nth n (tile_weights r) 0 | None => 0 end.

Definition always_added (r : rule) : Z :=
  sum (map (atom_weight r) (set_of (required P))) + sum (map (bound_weight r) (seq 0 (length (tiles P)))).

(** Subtract the weight that every covering adds from the bounds: required atoms are covered once, and some tiles have a fixed number of
    copies. *)
Definition subtracted (r : rule) : rule := {|
  atom_weights := filter (fun aw => negb (member (fst aw) (required P))) (atom_weights r);
  tile_weights := map (free_weight r) (seq 0 (length (tiles P)));
  least := least r - always_added r; most := most r - always_added r;
  modulus := modulus r; Statement.residue := Statement.residue r - always_added r |}.

Lemma subtracted_atom r a : atom_weight (subtracted r) a = if member a (required P) then 0 else atom_weight r a.
Proof.
  unfold atom_weight. cbn [subtracted atom_weights]. generalize (atom_weights r) as l.
  induction l as [|[b w] l IH]; [now destruct (member a (required P))|]. cbn [filter fst]. destruct (member b (required P)) eqn:M; cbn [negb filter fst].
  - rewrite IH. destruct (compare b a) eqn:E; try reflexivity. apply compare_eq in E as ->. now rewrite M.
  - destruct (compare b a) eqn:E; try exact IH. apply compare_eq in E as ->. rewrite M in IH |- *. cbn [map]. rewrite !sum_cons, IH. reflexivity.
Qed.

Hypothesis placements_iff : forall p, In p placements <-> is_placement P p.
Hypothesis bodies : forall t, In t (tiles P) -> body t <> [].

Lemma tile_below S p : covering P S -> In p S -> (tile_of p < length (tiles P))%nat.
Proof.
  intros HS Hp. destruct (of_placements P S HS p Hp) as ((t & _ & _ & _ & E & _) & _). apply nth_error_Some. congruence.
Qed.

Lemma copies_tile S n : covering P S -> (n < length (tiles P))%nat ->
  tile_low P n <= copies n S /\ within (copies n S) (tile_high P n).
Proof.
  intros HS Hn. unfold tile_low, tile_high. destruct (nth_error (tiles P) n) as [t|] eqn:E; [now apply (kept_copies P S HS)|].
  apply nth_error_None in E. lia.
Qed.

Lemma exact_copies_are S n k : covering P S -> (n < length (tiles P))%nat -> exact_copies n = Some k -> copies n S = k.
Proof.
  intros HS Hn. unfold exact_copies. destruct (copies_tile S n HS Hn) as [L H]. destruct (tile_high P n) as [h|]; [|discriminate].
  destruct (h =? tile_low P n) eqn:E; [|discriminate]. apply Z.eqb_eq in E. cbn in H. intros [= <-]. lia.
Qed.

Lemma subtracted_total r S : covering P S -> sum (map (weight r) S) = sum (map (weight (subtracted r)) S) + always_added r.
Proof.
  intros HS. set (w := fun a => if member a (required P) then atom_weight r a else 0).
  set (tiled := fun n => match exact_copies n with Some _ => nth n (tile_weights r) 0 | None => 0 end).
  assert (E : forall p, In p S -> weight r p = weight (subtracted r) p + (value w p + tiled (tile_of p))).
  { intros p Hp. unfold weight, value. cbn [subtracted tile_weights].
    assert (C : sum (map (atom_weight r) (covers p)) = sum (map (atom_weight (subtracted r)) (covers p)) + sum (map w (covers p))).
    { rewrite <- sum_plus. f_equal. apply map_ext. intros a. rewrite subtracted_atom. unfold w. destruct (member a (required P)); lia. }
    pose proof (tile_below S p HS Hp) as L.
    assert (F : nth (tile_of p) (map (free_weight r) (seq 0 (length (tiles P)))) 0 = free_weight r (tile_of p)).
    { rewrite (nth_indep _ 0 (free_weight r 0)) by now rewrite map_length, seq_length. now rewrite map_nth, seq_nth. }
    rewrite F, C. unfold free_weight, tiled. destruct (exact_copies (tile_of p)); lia. }
  rewrite (map_ext_in _ _ _ E), !sum_plus. f_equal. unfold always_added. f_equal.
  - rewrite (values_sum P w); [|intros a; unfold w; destruct (member a (required P)) eqn:M; [intros _; now apply member_iff|congruence]|assumption].
    unfold form_value. f_equal. apply map_ext_in. intros a Ha. unfold w. rewrite set_of_In in Ha.
    now rewrite (proj2 (member_iff a (required P)) Ha).
  - rewrite (by_tiles S (fun p => tiled (tile_of p)) (length (tiles P))) by (intros p; now apply tile_below).
    f_equal. apply map_ext_in. intros n Hn. apply in_seq in Hn as [_ Hn]. cbn in Hn.
    rewrite (map_ext_in _ (fun _ => tiled n)).
    + rewrite sum_same. unfold tiled, bound_weight. destruct (exact_copies n) as [k|] eqn:E1; [|lia].
      rewrite <- (exact_copies_are S n k HS Hn E1). unfold copies, of_tile. lia.
    + intros p Hp. apply filter_In in Hp as [_ Hp]. apply Nat.eqb_eq in Hp. now rewrite Hp.
Qed.

(** ** The sums that can be reached *)

Definition least_in (l : list Z) : Z := match l with [] => 0 | x :: l => fold_left Z.min l x end.
Definition most_in (l : list Z) : Z := match l with [] => 0 | x :: l => fold_left Z.max l x end.

Lemma least_in_spec l x : In x l -> least_in l <= x.
Proof.
  destruct l as [|y l]; [intros []|]. unfold least_in.
  assert (G : forall l y, fold_left Z.min l y <= y /\ forall x, In x l -> fold_left Z.min l y <= x).
  { clear. induction l as [|z l IH]; intros y; cbn [fold_left]; [split; [lia|intros x []]|].
    destruct (IH (Z.min y z)) as [A B]. split; [lia|]. intros x [<-|Hx]; [lia|now apply B]. }
  destruct (G l y) as [A B]. intros [<-|Hx]; [exact A|now apply B].
Qed.
Lemma most_in_spec l x : In x l -> x <= most_in l.
Proof.
  destruct l as [|y l]; [intros []|]. unfold most_in.
  assert (G : forall l y, y <= fold_left Z.max l y /\ forall x, In x l -> x <= fold_left Z.max l y).
  { clear. induction l as [|z l IH]; intros y; cbn [fold_left]; [split; [lia|intros x []]|].
    destruct (IH (Z.max y z)) as [A B]. split; [lia|]. intros x [<-|Hx]; [lia|now apply B]. }
  destruct (G l y) as [A B]. intros [<-|Hx]; [exact A|now apply B].
Qed.

(** The largest number of copies of a tile that its placements and the form allow, and bounds on the sum of the values of its placements. *)
Definition most_copies (own : list placement) (n : nat) : Z :=
  let fewest := least_in (map (fun p => Z.of_nat (length (covers p))) own) in
  let few := Z.min (Z.of_nat (length own)) (if 0 <? fewest then Z.of_nat (length (form_list P)) / fewest else Z.of_nat (length own)) in
  match tile_high P n with Some h => Z.min h few | None => few end.
Definition tile_reach (f : placement -> Z) (n : nat) : Z * Z :=
  let own := of_tile placements n in
  let a := least_in (map f own) in let b := most_in (map f own) in
  let fewest := tile_low P n in let most := most_copies own n in
  (Z.min (a * fewest) (a * most), Z.max (b * fewest) (b * most)).
Definition reach (f : placement -> Z) : Z * Z :=
  let each := map (tile_reach f) (seq 0 (length (tiles P))) in (sum (map fst each), sum (map snd each)).

Lemma of_tile_in S n p : In p (of_tile S n) <-> In p S /\ tile_of p = n.
Proof. unfold of_tile. rewrite filter_In, Nat.eqb_eq. reflexivity. Qed.

Lemma covering_known' S p : covering P S -> In p S -> In p placements.
Proof. intros HS Hp. now apply placements_iff, (of_placements P S HS). Qed.

Lemma most_copies_are S n : covering P S -> (n < length (tiles P))%nat -> copies n S <= most_copies (of_tile placements n) n.
Proof.
  intros HS Hn. set (own := of_tile placements n).
  assert (I : incl (of_tile S n) own).
  { intros p Hp. apply of_tile_in in Hp as [Hp T]. apply of_tile_in. split; [now apply covering_known' with S|assumption]. }
  assert (N : NoDup (of_tile S n)) by (apply NoDup_filter, ascending_NoDup, (a_set P S HS)).
  pose proof (NoDup_incl_length N I) as L. change (copies n S) with (Z.of_nat (length (of_tile S n))).
  assert (F : 0 < least_in (map (fun p => Z.of_nat (length (covers p))) own) ->
    Z.of_nat (length (of_tile S n)) <= Z.of_nat (length (form_list P)) / least_in (map (fun p => Z.of_nat (length (covers p))) own)).
  { set (fewest := least_in _). intros Po. apply Z.div_le_lower_bound; [assumption|].
    transitivity (Z.of_nat (length (flat_map covers (of_tile S n)))).
    - assert (G : forall l, incl l own -> fewest * Z.of_nat (length l) <= Z.of_nat (length (flat_map covers l))).
      { induction l as [|p l IH]; intros Il; [cbn; lia|]. cbn [flat_map length]. rewrite app_length.
        assert (fewest <= Z.of_nat (length (covers p))).
        { apply least_in_spec. apply (in_map (fun p => Z.of_nat (length (covers p)))). apply Il. now left. }
        specialize (IH (fun q Hq => Il q (or_intror Hq))). lia. }
      now apply G.
    - apply inj_le, NoDup_incl_length.
      + assert (G : forall l, NoDup (flat_map covers l) -> NoDup (flat_map covers (of_tile l n))).
        { clear. induction l as [|p l IH]; intros N; [constructor|]. cbn [flat_map] in N. unfold of_tile. cbn [filter].
          assert (N' : NoDup (flat_map covers l)) by (clear IH; induction (covers p); [assumption|inversion N; auto]).
          destruct (Nat.eqb (tile_of p) n); [|now apply IH]. cbn [flat_map]. fold (of_tile l n). specialize (IH N').
          assert (In1 : incl (flat_map covers (of_tile l n)) (flat_map covers l)).
          { intros a Ha. apply in_flat_map in Ha as (q & Hq & Ha). apply of_tile_in in Hq as [Hq _]. apply in_flat_map. eauto. }
          clear N'. induction (covers p) as [|a c IHc]; [assumption|]. cbn [app] in *. inversion N as [|? ? Na N'']; subst.
          constructor; [|now apply IHc]. rewrite in_app_iff in *. intros [H|H]; apply Na; [now left|right; now apply In1]. }
        apply G, (covered_once P S HS).
      + intros a Ha. apply in_flat_map in Ha as (p & Hp & Ha). apply of_tile_in in Hp as [Hp _]. apply form_list_iff.
        now apply (of_placements P S HS p Hp). }
  unfold most_copies. fold own. set (fewest := least_in _) in *.
  destruct (copies_tile S n HS Hn) as [_ H]. change (copies n S) with (Z.of_nat (length (of_tile S n))) in H.
  assert (Few : Z.of_nat (length (of_tile S n)) <= Z.min (Z.of_nat (length own))
    (if 0 <? fewest then Z.of_nat (length (form_list P)) / fewest else Z.of_nat (length own))).
  { destruct (0 <? fewest) eqn:Po; [|lia]. apply Z.ltb_lt in Po. specialize (F Po). lia. }
  destruct (tile_high P n); cbn in H; lia.
Qed.

Lemma reach_right f S : covering P S -> fst (reach f) <= sum (map f S) <= snd (reach f).
Proof.
  intros HS. rewrite (by_tiles S f (length (tiles P))) by (intros p; now apply tile_below).
  unfold reach. cbn [fst snd]. rewrite !map_map.
  assert (T : forall n, In n (seq 0 (length (tiles P))) -> fst (tile_reach f n) <= sum (map f (of_tile S n)) <= snd (tile_reach f n)).
  { intros n Hn. apply in_seq in Hn as [_ Hn]. cbn in Hn. unfold tile_reach. cbn [fst snd]. set (own := of_tile placements n).
    pose proof (most_copies_are S n HS Hn) as M. destruct (copies_tile S n HS Hn) as [L _]. fold own in M.
    pose proof (sum_between f (least_in (map f own)) (most_in (map f own)) (of_tile S n)) as B.
    change (Z.of_nat (length (of_tile S n))) with (copies n S) in B.
    assert (C : forall p, In p (of_tile S n) -> least_in (map f own) <= f p <= most_in (map f own)).
    { intros p Hp. apply of_tile_in in Hp as [Hp Tp].
      assert (In (f p) (map f own)) by (apply in_map, of_tile_in; split; [now apply covering_known' with S|assumption]).
      split; [now apply least_in_spec|now apply most_in_spec]. }
    specialize (B C). set (c := copies n S) in *. set (a := least_in _) in *. set (b := most_in _) in *.
    destruct (Z.le_gt_cases 0 a), (Z.le_gt_cases 0 b); split; nia. }
  induction (seq 0 (length (tiles P))) as [|n l IH]; [cbn; lia|]. cbn [map]. rewrite !sum_cons.
  specialize (IH (fun k Hk => T k (or_intror Hk))). specialize (T n (or_introl eq_refl)). lia.
Qed.

(** ** The meaning of a rule for a covering *)

(** True of every covering, of none, or a condition on the sum of the values of its placements: [d] times the sum lies between two numbers,
    or it has a residue modulo a number. *)
Inductive saying := Always | Never | Between (f : placement -> Z) (d low high : Z) | Modulo (f : placement -> Z) (m rest : Z).

Definition holds (s : saying) (S : list placement) : Prop :=
  match s with
  | Always => True
  | Never => False
  | Between f d low high => low <= d * sum (map f S) <= high
  | Modulo f m rest => (m | sum (map f S) - rest)
  end.

Definition read_between (f : placement -> Z) (low high : Z) : saying :=
  let (l, h) := reach f in
  if (low <=? l) && (h <=? high) then Always
  else if (h <? low) || (high <? l) || (high <? low) then Never
  else Between f 1 (Z.max low l) (Z.min high h).

Definition read_modulo (f : placement -> Z) (m rest : Z) : saying :=
  let d := Z.gcd (fold_right Z.gcd 0 (map f placements)) m in
  if negb (rest mod d =? 0) then Never
  else if m / d =? 1 then Always
  else Modulo (fun p => (f p / d) mod (m / d)) (m / d) (rest / d).

Definition read (rule : rule) : saying :=
  let r := subtracted rule in
  let common := fold_right Z.gcd 0 (map (weight r) placements) in
  if modulus r =? 0 then
    if common =? 0 then if (least r <=? 0) && (0 <=? most r) then Always else Never
    else read_between (fun p => weight r p / common) (- (- least r / common)) (most r / common)
  else read_modulo (weight r) (Z.abs (modulus r)) (Statement.residue r).

Lemma common_divides (f : placement -> Z) l p : In p l -> (fold_right Z.gcd 0 (map f l) | f p).
Proof.
  induction l as [|q l IH]; [intros []|]. cbn [map fold_right]. intros [<-|Hp]; [apply Z.gcd_divide_l|].
  apply Z.divide_trans with (fold_right Z.gcd 0 (map f l)); [apply Z.gcd_divide_r|now apply IH].
Qed.

Lemma sum_divided (f : placement -> Z) d S : d <> 0 -> (forall p, In p S -> (d | f p)) ->
  sum (map f S) = d * sum (map (fun p => f p / d) S).
Proof.
  intros D H. rewrite <- sum_times. f_equal. apply map_ext_in. intros p Hp. destruct (H p Hp) as (k & E). rewrite E.
  rewrite Z.div_mul by assumption. lia.
Qed.

Lemma read_between_right f low high S : covering P S -> holds (read_between f low high) S <-> low <= sum (map f S) <= high.
Proof.
  intros HS. pose proof (reach_right f S HS) as R. unfold read_between. destruct (reach f) as [l h]. cbn [fst snd] in R.
  destruct ((low <=? l) && (h <=? high)) eqn:A.
  { apply andb_true_iff in A as [A1 A2]. apply Z.leb_le in A1, A2. cbn. lia. }
  destruct ((h <? low) || (high <? l) || (high <? low)) eqn:N; cbn [holds]; [|lia].
  rewrite !orb_true_iff, !Z.ltb_lt in N. lia.
Qed.

Lemma read_modulo_right f m rest S : covering P S -> 0 < m -> (holds (read_modulo f m rest) S <-> (m | sum (map f S) - rest)).
Proof.
  intros HS Mp. unfold read_modulo. cbv zeta.
  assert (Div : forall p, In p S -> (fold_right Z.gcd 0 (map f placements) | f p)).
  { intros p Hp. apply common_divides. now apply covering_known' with S. }
  set (g := fold_right Z.gcd 0 (map f placements)) in *. clearbody g. set (total := sum (map f S)).
  set (d := Z.gcd g m). assert (Dp : 0 < d).
  { pose proof (Z.gcd_nonneg g m). assert (d <> 0); [|unfold d in *; lia]. unfold d. intros E. apply Z.gcd_eq_0 in E. lia. }
  assert (Dm : (d | m)) by apply Z.gcd_divide_r.
  assert (Dt : forall p, In p S -> (d | f p)).
  { intros p Hp. apply Z.divide_trans with g; [apply Z.gcd_divide_l|now apply Div]. }
  pose proof (sum_divided f d S ltac:(lia) Dt) as T. fold total in T.
  destruct (rest mod d =? 0) eqn:R0; cbn [negb].
  - apply Z.eqb_eq in R0. apply Z.mod_divide in R0; [|lia]. destruct Dm as (q & Eq), R0 as (k & Ek).
    rewrite Ek, Eq. rewrite !Z.div_mul by lia.
    assert (Q : (q * d | total - k * d) <-> (q | sum (map (fun p => f p / d) S) - k)).
    { rewrite T. replace (d * sum (map (fun p => f p / d) S) - k * d) with ((sum (map (fun p => f p / d) S) - k) * d) by lia.
      rewrite Z.mul_divide_cancel_r by lia. reflexivity. }
    rewrite Q. destruct (q =? 1) eqn:Q1.
    + apply Z.eqb_eq in Q1 as ->. cbn. split; [|auto]. intros _. apply Z.divide_1_l.
    + cbn [holds]. assert (Qp : q <> 0) by nia.
      pose proof (sum_modulo q (fun p => (f p / d) mod q) (fun p => f p / d) S) as Sm.
      assert (Hm : forall p, In p S -> (q | (f p / d) mod q - f p / d)).
      { intros p _. exists (- (f p / d / q)). pose proof (Z.div_mod (f p / d) q Qp). lia. }
      specialize (Sm Hm). set (s1 := sum (map (fun p => (f p / d) mod q) S)) in *. set (s2 := sum (map (fun p => f p / d) S)) in *.
      split; intros H.
      * replace (s2 - k) with ((s1 - k) - (s1 - s2)) by lia. now apply Z.divide_sub_r.
      * replace (s1 - k) with ((s1 - s2) + (s2 - k)) by lia. now apply Z.divide_add_r.
  - cbn [holds]. split; [tauto|]. intros H. apply Z.eqb_neq in R0. apply R0. apply Z.mod_divide; [lia|].
    assert (Dd : (d | total - rest)) by now apply Z.divide_trans with m.
    replace rest with (total - (total - rest)) by lia. apply Z.divide_sub_r; [|assumption].
    rewrite T. apply Z.divide_factor_l.
Qed.

Lemma read_right r S : covering P S -> holds (read r) S <-> keeps r S.
Proof.
  intros HS. unfold keeps. rewrite (subtracted_total r S HS). unfold read. set (r' := subtracted r).
  cbv zeta.
  assert (Le : least r' = least r - always_added r) by reflexivity. assert (Mo : most r' = most r - always_added r) by reflexivity.
  assert (Re : Statement.residue r' = Statement.residue r - always_added r) by reflexivity.
  change (modulus r) with (modulus r'). set (total := sum (map (weight r') S)). set (c := always_added r) in *.
  assert (Div : forall p, In p S -> (fold_right Z.gcd 0 (map (weight r') placements) | weight r' p)).
  { intros p Hp. apply common_divides. now apply covering_known' with S. }
  assert (Pos : 0 <= fold_right Z.gcd 0 (map (weight r') placements)).
  { destruct (map (weight r') placements); cbn; [lia|apply Z.gcd_nonneg]. }
  set (g := fold_right Z.gcd 0 (map (weight r') placements)) in *. clearbody g.
  destruct (modulus r' =? 0) eqn:M0.
  - destruct (g =? 0) eqn:G0.
    + apply Z.eqb_eq in G0 as ->. assert (T0 : total = 0).
      { unfold total. rewrite (map_ext_in _ (fun _ => 0)), sum_same; [lia|]. intros p Hp. now apply Z.divide_0_l, Div. }
      rewrite T0. destruct ((least r' <=? 0) && (0 <=? most r')) eqn:A.
      * apply andb_true_iff in A as [A1 A2]. apply Z.leb_le in A1, A2. cbn. lia.
      * cbn. split; [tauto|]. intros B. rewrite <- not_true_iff_false in A. apply A. apply andb_true_iff. split; apply Z.leb_le; lia.
    + apply Z.eqb_neq in G0. rewrite read_between_right by assumption.
      pose proof (sum_divided (weight r') g S G0 Div) as T. fold total in T. set (s := sum (map _ S)) in *. rewrite T.
      assert (Gp : 0 < g) by lia. clearbody s.
      pose proof (Z.mul_div_le (- least r') g Gp). pose proof (Z.mul_succ_div_gt (- least r') g Gp).
      pose proof (Z.mul_div_le (most r') g Gp). pose proof (Z.mul_succ_div_gt (most r') g Gp).
      set (a := - least r' / g) in *. set (b := most r' / g) in *. split; intros [B1 B2]; split; nia.
  - apply Z.eqb_neq in M0. rewrite read_modulo_right by (assumption || lia). rewrite Z.mod_divide by assumption.
    rewrite Z.divide_abs_l. replace (total + c - Statement.residue r) with (total - Statement.residue r') by lia. reflexivity.
Qed.

(** ** The remainder after subtracting the sums that all coverings share Each item that is covered a fixed number of times (a required
    atom, a tile with an exact number of copies) gives a sum over placements that is the same for all coverings; linear combinations of
    these sums are the same, too. One combination is subtracted from a rule so that the rule is 0 for as many of the first placements as
    possible. The choice of the combination needs no proof: any combination is sound. *)

Definition bound_items : list item :=
  filter (fun i => match greatest (problem_of P placements) i with Some k => k =? fewest (problem_of P placements) i | None => false end)
    (items (problem_of P placements)).

Fixpoint dot (m : list bool) (y : list Z) : Z :=
  match m, y with true :: m, a :: y => a + dot m y | false :: m, _ :: y => dot m y | _, _ => 0 end.
Fixpoint combined (a : Z) (y : list Z) (b : Z) (z : list Z) : list Z :=
  match y, z with x :: y, u :: z => a * x + b * u :: combined a y b z | _, _ => [] end.
Definition lessened (y : list Z) (n : Z) : list Z * Z :=
  let g := fold_right Z.gcd n y in if g =? 0 then (y, n) else (map (fun a => a / g) y, n / g).

(** The first vector of item weights under which a placement has a sum other than 0, with that sum and the other vectors. *)
Fixpoint first_hit (m : list bool) (before rest : list (list Z)) : option (list Z * Z * list (list Z)) :=
  match rest with
  | [] => None
  | y :: rest => let a := dot m y in if a =? 0 then first_hit m (y :: before) rest else Some (y, a, rev_append before rest)
  end.

(** Pivots by Gauss' elimination: placements, each with a vector of item weights and a number. The sum of the weights of a pivot is its
    number for its own placement, and 0 for the other pivots' placements. *)
Fixpoint pivots (pls : list (placement * list bool)) (rest : list (list Z)) (made : list (placement * (list Z * Z)))
    : list (placement * (list Z * Z)) :=
  match pls, rest with
  | [], _ | _, [] => made
  | (p, m) :: pls, _ =>
    match first_hit m [] rest with
    | None => pivots pls rest made
    | Some (y, a, rest) =>
      let without := fun z => let b := dot m z in if b =? 0 then z else fst (lessened (combined a z (- b) y) 0) in
      pivots pls (map without rest) ((p, (y, a)) :: map (fun qz => let b := dot m (fst (snd qz)) in
        if b =? 0 then qz else (fst qz, lessened (combined a (fst (snd qz)) (- b) y) (a * snd (snd qz)))) made)
    end
  end.

(** The elimination is skipped if it would take too long. *)
Definition find_pivots : list (placement * (list Z * Z)) :=
  let n := length bound_items in
  if (Z.of_nat n <=? 400) && (Z.of_nat n * Z.of_nat n * Z.of_nat (length placements) <=? 500000000) then
    pivots (map (fun p => (p, map (covers_item p) bound_items)) placements)
      (map (fun i => map (fun j => if Nat.eqb i j then 1 else 0) (seq 0 n)) (seq 0 n)) []
  else [].

Definition common_multiple (found : list (placement * (list Z * Z))) : Z := fold_right (fun qz n => Z.lcm (snd (snd qz)) n) 1 found.
Definition item_weights (found : list (placement * (list Z * Z))) (d : Z) (f : placement -> Z) : list (item * Z) :=
  filter (fun iw => negb (snd iw =? 0)) (combine bound_items
    (fold_left (fun sums qz => combined 1 sums (f (fst qz) * (d / snd (snd qz))) (fst (snd qz))) found (map (fun _ => 0) bound_items))).
Definition weighed (ws : list (item * Z)) (p : placement) : Z := sum (map snd (filter (fun iw => covers_item p (fst iw)) ws)).

(** The greatest common divisor, with the sign of the first number that is not 0. *)
Definition signed_divisor (l : list Z) : Z :=
  let g := fold_right Z.gcd 0 l in
  match List.find (fun x => negb (x =? 0)) l with Some x => if x <? 0 then - g else g | None => g end.

Definition canonical (found : list (placement * (list Z * Z))) (s : saying) : saying :=
  match s with
  | Between f d low high =>
    let n := common_multiple found in
    let ws := item_weights found n f in
    let left := fun p => n * f p - weighed ws p in
    let always := sum (map (fun iw => snd iw * fewest (problem_of P placements) (fst iw)) ws) in
    let g := signed_divisor (map left placements) in
    let l := n * low - d * always in let h := n * high - d * always in
    if n <=? 0 then s
    else if g =? 0 then if (l <=? 0) && (0 <=? h) then Always else Never
    else if 0 <? g then Between (fun p => left p / g) (d * g) l h
    else Between (fun p => left p / g) (d * - g) (- h) (- l)
  | Modulo f m rest =>
    let n := common_multiple found in
    let ws := item_weights found n f in
    let always := sum (map (fun iw => snd iw * fewest (problem_of P placements) (fst iw)) ws) in
    if (0 <? m) && (Z.gcd m n =? 1) then read_modulo (fun p => n * f p - weighed ws p) m (n * rest - always) else s
  | _ => s
  end.

Lemma weighed_always found n f S : covering P S ->
  let ws := item_weights found n f in
  sum (map (weighed ws) S) = sum (map (fun iw => snd iw * fewest (problem_of P placements) (fst iw)) ws).
Proof.
  intros HS ws. assert (I : forall iw, In iw ws -> In (fst iw) bound_items).
  { intros [i w] H. apply filter_In in H as [H _]. now apply in_combine_l in H. }
  clearbody ws. pose proof (proj1 (proj2 (covering_iff P placements placements_iff S (a_set P S HS)) HS)) as C.
  induction ws as [|[i w] ws IH].
  - cbn [map]. rewrite (map_ext _ (fun _ => 0)) by reflexivity. now rewrite sum_same.
  - cbn [map]. rewrite sum_cons, <- IH by (intros iw H; apply I; now right). cbn [fst snd].
    assert (U : uses (problem_of P placements) i S = fewest (problem_of P placements) i).
    { specialize (I (i, w) (or_introl eq_refl)). cbn [fst] in I. apply filter_In in I as [Hi E].
      destruct (as_often _ _ C i Hi) as [L G]. destruct (greatest _ i) as [k|]; [|discriminate]. apply Z.eqb_eq in E. cbn in G. lia. }
    rewrite <- U. unfold uses. cbn [problem_of has]. clear.
    assert (E : forall p, weighed ((i, w) :: ws) p = (if covers_item p i then w else 0) + weighed ws p).
    { intros p. unfold weighed. cbn [filter fst]. now destruct (covers_item p i). }
    induction S as [|p S IH]; [cbn; lia|]. cbn [map filter]. rewrite !sum_cons, E, IH. destruct (covers_item p i); cbn [length]; lia.
Qed.

Lemma left_total found n f S : covering P S -> let ws := item_weights found n f in
  sum (map (fun p => n * f p - weighed ws p) S) =
  n * sum (map f S) - sum (map (fun iw => snd iw * fewest (problem_of P placements) (fst iw)) ws).
Proof.
  intros HS ws. pose proof (weighed_always found n f S HS) as W. cbv zeta in W. fold ws in W. rewrite <- W, <- sum_times. clear.
  induction S as [|p S IH]; [reflexivity|]. cbn [map]. rewrite !sum_cons. lia.
Qed.

Lemma canonical_modulo found f m r S : covering P S ->
  let n := common_multiple found in let ws := item_weights found n f in
  let always := sum (map (fun iw => snd iw * fewest (problem_of P placements) (fst iw)) ws) in
  (holds (if (0 <? m) && (Z.gcd m n =? 1) then read_modulo (fun p => n * f p - weighed ws p) m (n * r - always) else Modulo f m r) S
    <-> holds (Modulo f m r) S).
Proof.
  intros HS n ws always. destruct ((0 <? m) && (Z.gcd m n =? 1)) eqn:E; [|reflexivity].
  apply andb_true_iff in E as [M G]. apply Z.ltb_lt in M. apply Z.eqb_eq in G. rewrite read_modulo_right by assumption.
  pose proof (left_total found n f S HS) as L. cbv zeta in L. fold ws always in L. rewrite L. cbn [holds].
  replace (n * sum (map f S) - always - (n * r - always)) with (n * (sum (map f S) - r)) by lia.
  split; [intros H; now apply Z.gauss with n|intros H; now apply Z.divide_mul_r].
Qed.

Lemma canonical_right found s S : covering P S -> (holds (canonical found s) S <-> holds s S).
Proof.
  intros HS. destruct s as [| |f d low high|f m r]; try reflexivity; unfold canonical; cbv zeta; [|now apply canonical_modulo].
  set (n := common_multiple found). pose proof (weighed_always found n f S HS) as W. cbv zeta in W.
  set (ws := item_weights found n f) in *. set (always := sum (map (fun iw => _) ws)) in *.
  set (left := fun p => n * f p - weighed ws p). clearbody always.
  destruct (n <=? 0) eqn:N; [reflexivity|]. apply Z.leb_gt in N.
  assert (Between_n : forall y, low <= y <= high <-> n * low <= n * y <= n * high).
  { intros y. now rewrite <- !Z.mul_le_mono_pos_l by assumption. }
  assert (L : sum (map left S) = n * sum (map f S) - always).
  { rewrite <- W, <- sum_times. unfold left. rewrite <- (Z.add_0_r (sum (map _ S))). clear.
    induction S as [|p S IH]; [reflexivity|]. cbn [map]. rewrite !sum_cons. lia. }
  assert (Div : forall p, In p S -> (signed_divisor (map left placements) | left p)).
  { intros p Hp. assert (D : (fold_right Z.gcd 0 (map left placements) | left p)) by (apply common_divides; now apply covering_known' with S).
    unfold signed_divisor. destruct (List.find _ _) as [x|]; [destruct (x <? 0)|]; try assumption. now apply Z.divide_opp_l. }
  set (g := signed_divisor (map left placements)) in *. clearbody g. destruct (g =? 0) eqn:G0.
  - apply Z.eqb_eq in G0 as ->. assert (T0 : sum (map left S) = 0).
    { rewrite (map_ext_in _ (fun _ => 0)), sum_same; [lia|]. intros p Hp. now apply Z.divide_0_l, Div. }
    rewrite L in T0. assert (T1 : n * (d * sum (map f S)) = d * always) by nia.
    destruct ((_ <=? 0) && (0 <=? _)) eqn:A; cbn [holds].
    + apply andb_true_iff in A as [A1 A2]. apply Z.leb_le in A1, A2. split; [intros _|auto]. rewrite Between_n. lia.
    + split; [tauto|]. rewrite Between_n. intros [B1 B2]. rewrite <- not_true_iff_false in A. apply A, andb_true_iff. split; apply Z.leb_le; lia.
  - apply Z.eqb_neq in G0. pose proof (sum_divided left g S G0 Div) as T. rewrite L in T.
    change (fun p => (n * f p - weighed ws p) / g) with (fun p => left p / g).
    destruct (0 <? g); cbn [holds]; fold left; set (q := sum (map (fun p => left p / g) S)) in *; clearbody q.
    + rewrite (Between_n (d * sum (map f S))). replace (d * g * q) with (n * (d * sum (map f S)) - d * always); [lia|].
      replace (d * g * q) with (d * (g * q)) by lia. rewrite <- T. lia.
    + rewrite (Between_n (d * sum (map f S))). replace (d * - g * q) with (- (n * (d * sum (map f S)) - d * always)); [lia|].
      replace (d * - g * q) with (- (d * (g * q))) by lia. rewrite <- T. lia.
Qed.

(** ** A statement after an act is a statement before it *)

(** The statement of a rule, in terms of the values of all placements. *)
Inductive told := Bounds (values : list Z) (d low high : Z) | Rest (values : list Z) (m rest : Z).

Definition tell (s : saying) : list told :=
  match s with
  | Always | Never => []
  | Between f d low high => [Bounds (map f placements) d low high]
  | Modulo f m rest => [Rest (map f placements) m rest]
  end.

Definition all_pairs (test : Z -> Z -> bool) (v w : list Z) : bool := forallb (fun xy => test (fst xy) (snd xy)) (combine v w).

(** The factors to try as units modulo a number: all if the modulus is small, else 1 and -1. *)
Definition units (m : Z) : list Z := if m <=? 60 then map Z.of_nat (seq 1 (Z.to_nat m)) else [1; -1].

Definition same_told (a b : told) : bool :=
  match a, b with
  | Bounds v d l h, Bounds w d' l' h' =>
    (0 <? d) && (0 <? d') &&
    ((l * d' =? l' * d) && (h * d' =? h' * d) && all_pairs Z.eqb v w ||
     (l * d' =? - h' * d) && (h * d' =? - l' * d) && all_pairs (fun x y => x =? - y) v w)
  | Rest v m r, Rest w m' r' =>
    (m =? m') && existsb (fun u => (Z.gcd u m =? 1) && ((r - u * r') mod m =? 0) && all_pairs (fun x y => (x - u * y) mod m =? 0) v w) (units m)
  | _, _ => false
  end.

Definition is_never (s : saying) : bool := match s with Never => true | _ => false end.

(** True if the statements before an act and those after it state the same for each covering; those before it are computed once for all
    acts. *)
Definition same_said (before : bool * list told) (after : list saying) : bool :=
  let now := flat_map tell after in
  Bool.eqb (fst before) (existsb is_never after) && (fst before ||
    forallb (fun a => existsb (same_told a) (snd before)) now && forallb (fun b => existsb (fun a => same_told a b) now) (snd before)).
Definition tell_all (said : list saying) : bool * list told := (existsb is_never said, flat_map tell said).

(** The statement of a rule about the image of a covering, as a statement about the covering. *)
Definition said_after (x : act) (s : saying) : saying :=
  match s with
  | Between f d low high => Between (fun p => f (image_of x p)) d low high
  | Modulo f m rest => Modulo (fun p => f (image_of x p)) m rest
  | _ => s
  end.

(** Tell whether an act keeps the rules. The rules are compared as they are first; if that does not show it for all acts, they are compared
    in canonical form, with the sums subtracted that all coverings share. *)
Definition keepers (motions : list act) : act -> bool :=
  let said := map read (rules P) in
  let before := tell_all said in
  let soon := fun x => same_said before (map (said_after x) said) in
  if forallb soon motions then soon else
  let found := find_pivots in
  let before := tell_all (map (canonical found) said) in
  fun x => soon x || same_said before (map (fun s => canonical found (said_after x s)) said).

Lemma all_pairs_map (test : Z -> Z -> bool) (f g : placement -> Z) (l : list placement) :
  all_pairs test (map f l) (map g l) = true -> forall p, In p l -> test (f p) (g p) = true.
Proof.
  induction l as [|q l IH]; [intros _ p []|]. unfold all_pairs in *. cbn [map combine forallb fst snd]. rewrite andb_true_iff.
  intros [E H] p [<-|Hp]; auto.
Qed.

Lemma same_told_right s t a b S : In a (tell s) -> In b (tell t) -> same_told a b = true -> covering P S -> (holds s S <-> holds t S).
Proof.
  intros Ha Hb E HS. pose proof (fun p => covering_known' S p HS) as K.
  destruct s as [| |f d l h|f m r]; cbn [tell] in Ha; try destruct Ha as [<-|[]]; try destruct Ha;
    destruct t as [| |f' d' l' h'|f' m' r']; cbn [tell] in Hb; try destruct Hb as [<-|[]]; try destruct Hb; try discriminate E;
    cbn [same_told holds] in *.
  - apply andb_true_iff in E as [D E]. apply andb_true_iff in D as [D D']. apply Z.ltb_lt in D, D'.
    apply orb_true_iff in E as [E|E]; rewrite !andb_true_iff, !Z.eqb_eq in E; destruct E as [[El Eh] E].
    + rewrite (map_ext_in f f').
      * set (q := sum (map f' S)). clearbody q. split; intros [B1 B2]; split; nia.
      * intros p Hp. apply K in Hp. now apply Z.eqb_eq, (all_pairs_map _ _ _ _ E).
    + rewrite (map_ext_in f (fun p => -1 * f' p)), sum_times.
      * set (q := sum (map f' S)). clearbody q. split; intros [B1 B2]; split; nia.
      * intros p Hp. apply K in Hp. pose proof (all_pairs_map _ _ _ _ E p Hp) as Q. cbv beta in Q. apply Z.eqb_eq in Q. lia.
  - rewrite andb_true_iff, Z.eqb_eq, existsb_exists in E. destruct E as (<- & u & _ & E).
    rewrite !andb_true_iff, !Z.eqb_eq in E. destruct E as [[U R] E].
    assert (Z0 : forall y, y mod m = 0 -> (m | y)).
    { intros y Hy. destruct (Z.eq_dec m 0) as [->|M0]; [|now apply Z.mod_divide]. rewrite Zmod_0_r in Hy. subst y. exists 0. reflexivity. }
    assert (Sm : (m | sum (map f S) - sum (map (fun p => u * f' p) S))).
    { apply sum_modulo. intros p Hp. apply K in Hp. apply Z0, Z.eqb_eq. exact (all_pairs_map _ _ _ _ E p Hp). }
    apply Z0 in R. rewrite sum_times in Sm. apply (divided_alike _ u _ _ r' _ U Sm R).
Qed.

Lemma same_said_right before after S : covering P S -> same_said (tell_all before) after = true ->
  ((forall s, In s before -> holds s S) <-> (forall s, In s after -> holds s S)).
Proof.
  intros HS E. unfold same_said, tell_all in E. cbn [fst snd] in E. apply andb_true_iff in E as [N E]. apply eqb_prop in N.
  assert (Tell : forall s, (exists a, In a (tell s)) \/ s = Never \/ holds s S).
  { intros [| |f d l h|f m r]; cbn; eauto. }
  destruct (existsb is_never before) eqn:NB; cbn [orb] in E.
  { symmetry in N. apply existsb_exists in NB as (s & Hs & Ns), N as (t & Ht & Nt).
    destruct s; try discriminate. destruct t; try discriminate. split; intros H; [destruct (H Never Hs)|destruct (H Never Ht)]. }
  assert (Not : forall l s, existsb is_never l = false -> In s l -> s <> Never).
  { intros l s F Hs ->. rewrite <- not_true_iff_false in F. apply F, existsb_exists. exists Never. auto. }
  rewrite andb_true_iff, !forallb_forall in E. destruct E as [E1 E2]. split; intros H s Hs.
  - destruct (Tell s) as [(a & Ha)|[->|]]; [|exfalso; now apply (Not after Never)|assumption].
    assert (I : In a (flat_map tell after)) by (apply in_flat_map; eauto).
    apply E1, existsb_exists in I as (b & Hb & Sa). apply in_flat_map in Hb as (t & Ht & Hb).
    apply (same_told_right s t a b S Ha Hb Sa HS). now apply H.
  - destruct (Tell s) as [(b & Hb)|[->|]]; [|exfalso; now apply (Not before Never)|assumption].
    assert (I : In b (flat_map tell before)) by (apply in_flat_map; eauto).
    apply E2, existsb_exists in I as (a & Ha & Sa). apply in_flat_map in Ha as (t & Ht & Ha).
    apply (same_told_right t s a b S Ha Hb Sa HS). now apply H.
Qed.

Section Acting.
Variable known : placement -> bool.
Hypothesis known_right : forall p, known p = true -> In p placements.
Variable x : act.
Hypothesis takes : takes_coverings P placements known x = true.
Hypothesis inj : injective P placements x.

Lemma said_after_right s S : covering P S -> (holds (said_after x s) S <-> holds s (acted (image_of x) S)).
Proof.
  intros HS. assert (E : forall f, sum (map f (acted (image_of x) S)) = sum (map (fun p => f (image_of x p)) S)).
  { intros f. rewrite <- (map_map (image_of x) f). apply sum_Permutation, Permutation_map.
    exact (images_permuted P placements placements_iff bodies x inj S HS). }
  destruct s; cbn [said_after holds]; try rewrite E; reflexivity.
Qed.

Theorem rules_kept motions : keepers motions x = true -> forall S, covering P S -> (keeps_all P S <-> keeps_all P (acted (image_of x) S)).
Proof.
  intros E S HS. pose proof (acted_covering P placements known known_right placements_iff bodies x takes inj S HS) as HT.
  set (said := map read (rules P)).
  assert (Said : forall T, covering P T -> (keeps_all P T <-> forall s, In s said -> holds s T)).
  { intros T C. unfold keeps_all, said. split.
    - intros H s Hs. apply in_map_iff in Hs as (r & <- & Hr). now apply read_right, H.
    - intros H r Hr. apply read_right; [assumption|]. now apply H, in_map. }
  rewrite (Said S HS), (Said _ HT).
  assert (Mapped : forall (l : list saying) f (Q R : saying -> Prop), (forall s, Q (f s) <-> R s) ->
    ((forall s, In s (map f l) -> Q s) <-> (forall s, In s l -> R s))).
  { intros l f Q R H. split.
    - intros G s Hs. now apply H, G, in_map.
    - intros G s Hs. apply in_map_iff in Hs as (t & <- & Ht). now apply H, G. }
  unfold keepers in E. cbv zeta in E. fold said in E.
  assert (Soon : same_said (tell_all said) (map (said_after x) said) = true ->
    ((forall s, In s said -> holds s S) <-> (forall s, In s said -> holds s (acted (image_of x) S)))).
  { intros F. rewrite (same_said_right _ _ S HS F). apply Mapped. intros s. now apply said_after_right. }
  destruct (forallb _ motions); [now apply Soon|]. apply orb_true_iff in E as [E|E]; [now apply Soon|].
  apply (same_said_right _ _ S HS) in E. rewrite (Mapped said (canonical find_pivots) _ (fun s => holds s S)) in E
    by (intros s; now apply canonical_right).
  rewrite E. apply Mapped. intros s. rewrite canonical_right by assumption. now apply said_after_right.
Qed.
End Acting.
End Rules.
