(** * Which acts keep the rules

    A rule is brought to a form of which more rules that say the same have the same: what every covering adds is subtracted, what
    all weights have in common is divided out, bounds are drawn in to what can be reached. Then an act keeps the rules if each
    of them, moved, says what one of them says, and the other way round: with the same weights for all placements, or with
    the opposite ones and bounds, or, modulo a number, with those times a unit. *)

From Coq Require Import List Bool ZArith Lia Permutation Znumtheory.
From PuzzleSat Require Import Statement Sets Covers Symmetry Geometry Weighting.
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

(** What is the same for each member modulo a number is so for sums. *)
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

(** Sums that are alike but for a unit leave rests that are. *)
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

(** How often a tile is there, where it has no choice. *)
Definition exact_copies (n : nat) : option Z :=
  match tile_high P n with Some h => if h =? tile_low P n then Some h else None | None => None end.
Definition free_weight (r : rule) (n : nat) : Z := match exact_copies n with Some _ => 0 | None => nth n (tile_weights r) 0 end.
Definition bound_weight (r : rule) (n : nat) : Z := match exact_copies n with Some k => k * nth n (tile_weights r) 0 | None => 0 end.

Definition always_added (r : rule) : Z :=
  sum (map (atom_weight r) (set_of (required P))) + sum (map (bound_weight r) (seq 0 (length (tiles P)))).

(** Each required atom is covered once, some tiles have a fixed number of copies: what these weigh, the bounds are spared. *)
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

(** ** What sums can be reached *)

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

(** The most copies of a tile for which there are placements and atoms, and between what its placements' values then add up. *)
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

(** ** What a rule says of a covering *)

(** Always, never, or: the values of its placements add up to between two numbers, or to a number modulo another. *)
Inductive saying := Always | Never | Between (f : placement -> Z) (low high : Z) | Modulo (f : placement -> Z) (m rest : Z).

Definition holds (s : saying) (S : list placement) : Prop :=
  match s with
  | Always => True
  | Never => False
  | Between f low high => low <= sum (map f S) <= high
  | Modulo f m rest => (m | sum (map f S) - rest)
  end.

Definition read_between (f : placement -> Z) (low high : Z) : saying :=
  let (l, h) := reach f in
  if (low <=? l) && (h <=? high) then Always
  else if (h <? low) || (high <? l) || (high <? low) then Never
  else Between f (Z.max low l) (Z.min high h).

Definition read (rule : rule) : saying :=
  let r := subtracted rule in
  let common := fold_right Z.gcd 0 (map (weight r) placements) in
  if modulus r =? 0 then
    if common =? 0 then if (least r <=? 0) && (0 <=? most r) then Always else Never
    else read_between (fun p => weight r p / common) (- (- least r / common)) (most r / common)
  else
    let m := Z.abs (modulus r) in let d := Z.gcd common m in
    if negb (Statement.residue r mod d =? 0) then Never
    else if m / d =? 1 then Always
    else Modulo (fun p => (weight r p / d) mod (m / d)) (m / d) (Statement.residue r / d).

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
  - apply Z.eqb_neq in M0. set (m := Z.abs (modulus r')). assert (Mp : 0 < m) by (unfold m; lia).
    set (d := Z.gcd g m). assert (Dp : 0 < d).
    { pose proof (Z.gcd_nonneg g m). assert (d <> 0); [|unfold d in *; lia]. unfold d. intros E. apply Z.gcd_eq_0 in E. lia. }
    assert (K : (total + c - Statement.residue r) mod modulus r' = 0 <-> (m | total - Statement.residue r')).
    { rewrite Z.mod_divide by assumption. unfold m. rewrite Z.divide_abs_l.
      replace (total + c - Statement.residue r) with (total - Statement.residue r') by lia. reflexivity. }
    rewrite K. clear K. assert (Dm : (d | m)) by apply Z.gcd_divide_r.
    assert (Dt : forall p, In p S -> (d | weight r' p)).
    { intros p Hp. apply Z.divide_trans with g; [apply Z.gcd_divide_l|now apply Div]. }
    pose proof (sum_divided (weight r') d S ltac:(lia) Dt) as T. fold total in T.
    destruct (Statement.residue r' mod d =? 0) eqn:R0; cbn [negb].
    + apply Z.eqb_eq in R0. apply Z.mod_divide in R0; [|lia]. destruct Dm as (q & Eq), R0 as (k & Ek).
      rewrite Ek, Eq. rewrite !Z.div_mul by lia.
      assert (Q : (q * d | total - k * d) <-> (q | sum (map (fun p => weight r' p / d) S) - k)).
      { rewrite T. replace (d * sum (map (fun p => weight r' p / d) S) - k * d) with ((sum (map (fun p => weight r' p / d) S) - k) * d) by lia.
        rewrite Z.mul_divide_cancel_r by lia. reflexivity. }
      rewrite Q. destruct (q =? 1) eqn:Q1.
      * apply Z.eqb_eq in Q1 as ->. cbn. split; [|auto]. intros _. apply Z.divide_1_l.
      * cbn [holds]. assert (Qp : q <> 0) by nia.
        pose proof (sum_modulo q (fun p => (weight r' p / d) mod q) (fun p => weight r' p / d) S) as Sm.
        assert (Hm : forall p, In p S -> (q | (weight r' p / d) mod q - weight r' p / d)).
        { intros p _. exists (- (weight r' p / d / q)). pose proof (Z.div_mod (weight r' p / d) q Qp). lia. }
        specialize (Sm Hm). set (s1 := sum (map (fun p => (weight r' p / d) mod q) S)) in *. set (s2 := sum (map (fun p => weight r' p / d) S)) in *.
        split; intros H.
        -- replace (s2 - k) with ((s1 - k) - (s1 - s2)) by lia. now apply Z.divide_sub_r.
        -- replace (s1 - k) with ((s1 - s2) + (s2 - k)) by lia. now apply Z.divide_add_r.
    + cbn [holds]. split; [tauto|]. intros H. apply Z.eqb_neq in R0. apply R0. apply Z.mod_divide; [lia|].
      assert (Dd : (d | total - Statement.residue r')) by now apply Z.divide_trans with m.
      replace (Statement.residue r') with (total - (total - Statement.residue r')) by lia. apply Z.divide_sub_r; [|assumption].
      rewrite T. apply Z.divide_factor_l.
Qed.

(** ** What is said after an act is said before it *)

(** What a rule says, by the values of all placements. *)
Inductive told := Bounds (values : list Z) (low high : Z) | Rest (values : list Z) (m rest : Z).

Definition tell (at_ : list placement) (s : saying) : list told :=
  match s with
  | Always | Never => []
  | Between f low high => [Bounds (map f at_) low high]
  | Modulo f m rest => [Rest (map f at_) m rest]
  end.

Definition all_pairs (test : Z -> Z -> bool) (v w : list Z) : bool := forallb (fun xy => test (fst xy) (snd xy)) (combine v w).

(** By what values modulo a number may be multiplied. *)
Definition units (m : Z) : list Z := if m <=? 60 then filter (fun u => Z.gcd u m =? 1) (map Z.of_nat (seq 1 (Z.to_nat m))) else [1; -1].

Definition same_told (a b : told) : bool :=
  match a, b with
  | Bounds v l h, Bounds w l' h' =>
    (l =? l') && (h =? h') && all_pairs Z.eqb v w || (l =? - h') && (h =? - l') && all_pairs (fun x y => x =? - y) v w
  | Rest v m r, Rest w m' r' =>
    (m =? m') && existsb (fun u => (Z.gcd u m =? 1) && ((r - u * r') mod m =? 0) && all_pairs (fun x y => (x - u * y) mod m =? 0) v w) (units m)
  | _, _ => false
  end.

Definition is_never (s : saying) : bool := match s with Never => true | _ => false end.

(** Given what the rules say, and the same told of all placements. *)
Definition rules_same (said : list saying) (before : list told) (x : act) : bool :=
  match before with
  | [] => true
  | _ =>
    let moved := map (image_of x) placements in
    let after := flat_map (tell moved) said in
    existsb is_never said ||
    forallb (fun a => existsb (same_told a) before) after && forallb (fun b => existsb (fun a => same_told a b) after) before
  end.
Definition keeps_said (said : list saying) : act -> bool := rules_same said (flat_map (tell placements) said).
Definition sayings : list saying := map read (rules P).

Lemma all_pairs_map {A B C} (test : Z -> Z -> bool) (f : B -> Z) (g : A -> B) (h : A -> Z) (l : list A) (c : C) :
  all_pairs test (map f (map g l)) (map h l) = true -> forall p, In p l -> test (f (g p)) (h p) = true.
Proof.
  induction l as [|q l IH]; [intros _ p []|]. unfold all_pairs in *. cbn [map combine forallb fst snd]. rewrite andb_true_iff.
  intros [E H] p [<-|Hp]; auto.
Qed.

Section Acting.
Variable known : placement -> bool.
Hypothesis known_right : forall p, known p = true -> In p placements.
Variable x : act.
Hypothesis takes : takes_coverings P placements known x = true.
Hypothesis inj : injective P placements x.

Lemma acted_sum f S : covering P S -> sum (map f (acted (image_of x) S)) = sum (map (fun p => f (image_of x p)) S).
Proof.
  intros HS. rewrite <- (map_map (image_of x) f). apply sum_Permutation, Permutation_map.
  exact (images_permuted P placements placements_iff bodies x inj S HS).
Qed.

Lemma same_told_right s t a b S : In a (tell (map (image_of x) placements) s) -> In b (tell placements t) ->
  same_told a b = true -> covering P S -> (holds s (acted (image_of x) S) <-> holds t S).
Proof.
  intros Ha Hb E HS. pose proof (fun p => covering_known' S p HS) as K.
  destruct s as [| |f l h|f m r]; cbn [tell] in Ha; try destruct Ha as [<-|[]]; try destruct Ha;
    destruct t as [| |f' l' h'|f' m' r']; cbn [tell] in Hb; try destruct Hb as [<-|[]]; try destruct Hb; try discriminate E;
    cbn [same_told holds] in *; rewrite acted_sum by assumption.
  - apply orb_true_iff in E as [E|E]; rewrite !andb_true_iff, !Z.eqb_eq in E; destruct E as [[El Eh] E].
    + subst l' h'. rewrite (map_ext_in _ f'); [reflexivity|]. intros p Hp. apply K in Hp.
      now apply Z.eqb_eq, (all_pairs_map _ _ _ _ _ tt E).
    + rewrite (map_ext_in _ (fun p => -1 * f' p)), sum_times; [lia|]. intros p Hp. apply K in Hp.
      pose proof (all_pairs_map _ _ _ _ _ tt E p Hp) as Q. cbv beta in Q. apply Z.eqb_eq in Q. lia.
  - rewrite andb_true_iff, Z.eqb_eq, existsb_exists in E. destruct E as (<- & u & _ & E).
    rewrite !andb_true_iff, !Z.eqb_eq in E. destruct E as [[U R] E].
    assert (Z0 : forall y, y mod m = 0 -> (m | y)).
    { intros y Hy. destruct (Z.eq_dec m 0) as [->|M0]; [|now apply Z.mod_divide]. rewrite Zmod_0_r in Hy. subst y. exists 0. reflexivity. }
    assert (Sm : (m | sum (map (fun p => f (image_of x p)) S) - sum (map (fun p => u * f' p) S))).
    { apply sum_modulo. intros p Hp. apply K in Hp. apply Z0, Z.eqb_eq. exact (all_pairs_map _ _ _ _ _ tt E p Hp). }
    apply Z0 in R. rewrite sum_times in Sm. apply (divided_alike _ u _ _ r' _ U Sm R).
Qed.

Theorem rules_kept : keeps_said sayings x = true -> forall S, covering P S -> (keeps_all P S <-> keeps_all P (acted (image_of x) S)).
Proof.
  intros E S HS. pose proof (acted_covering P placements known known_right placements_iff bodies x takes inj S HS) as HT.
  assert (Said : forall T, covering P T -> (keeps_all P T <-> forall s, In s sayings -> holds s T)).
  { intros T C. unfold keeps_all, sayings. split.
    - intros H s Hs. apply in_map_iff in Hs as (r & <- & Hr). now apply read_right, H.
    - intros H r Hr. apply read_right; [assumption|]. now apply H, in_map. }
  rewrite (Said S HS), (Said _ HT). clear Said. unfold keeps_said in E.
  assert (Tell : forall s at_, (exists a, In a (tell at_ s)) \/ forall T T', holds s T -> holds s T').
  { intros [| |f l h|f m r] at_; cbn; [right; auto|right; auto|left; eauto|left; eauto]. }
  unfold rules_same in E. destruct (flat_map (tell placements) sayings) as [|b0 before] eqn:B.
  { assert (N : forall s, In s sayings -> forall T T', holds s T -> holds s T').
    { intros s Hs. destruct (Tell s placements) as [(a & Ha)|]; [|assumption]. exfalso.
      assert (I : In a (flat_map (tell placements) sayings)) by (apply in_flat_map; eauto). rewrite B in I. destruct I. }
    split; intros H s Hs; apply (N s Hs _ _ (H s Hs)). }
  rewrite <- B in E. clear b0 before B. apply orb_true_iff in E as [E|E].
  { apply existsb_exists in E as (s & Hs & N). destruct s; try discriminate. split; intros H; destruct (H Never Hs). }
  rewrite andb_true_iff, !forallb_forall in E. destruct E as [E1 E2]. split; intros H s Hs.
  - destruct (Tell s (map (image_of x) placements)) as [(a & Ha)|N]; [|exact (N _ _ (H s Hs))].
    assert (I : In a (flat_map (tell (map (image_of x) placements)) sayings)) by (apply in_flat_map; eauto).
    apply E1, existsb_exists in I as (b & Hb & Sa). apply in_flat_map in Hb as (t & Ht & Hb).
    apply (same_told_right s t a b S Ha Hb Sa HS). now apply H.
  - destruct (Tell s placements) as [(b & Hb)|N]; [|exact (N _ _ (H s Hs))].
    assert (I : In b (flat_map (tell placements) sayings)) by (apply in_flat_map; eauto).
    apply E2, existsb_exists in I as (a & Ha & Sa). apply in_flat_map in Ha as (t & Ht & Ha).
    apply (same_told_right t s a b S Ha Hb Sa HS). now apply H.
Qed.
End Acting.
End Rules.
