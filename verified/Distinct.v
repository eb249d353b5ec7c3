(** * The search for the symmetries of a puzzle, and the proof that it misses none *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Find Cover Geometry Covers Trie Tree Tables Symmetry Rules Prepare.
Import ListNotations.
Open Scope Z_scope.

(** ** The search

    For each symmetry of the grid, at most one vector takes the form to itself, and one placement of each tile gives its image. The
    candidates found in this way are then tested. *)

Definition corner (l : list atom) : point :=
  match l with [] => [] | a :: l => fold_left (fun v b => least_of v (fst b)) l (fst a) end.

Definition firsts_of (P : puzzle) (pls : list placement) : list (nat * option placement) :=
  map (fun n => (n, List.find (fun p => Nat.eqb (tile_of p) n) pls)) (seq 0 (length (tiles P))).

Definition find_act (P : puzzle) (t : tables) (firsts : list (nat * option placement)) (g : symmetry) : act :=
  let form := form_list P in
  let v := minus (corner form) (corner (map (move g (zero (dimension P))) form)) in
  {| by_symmetry := g; by_vector := v; exchanging := map (fun np =>
    match snd np with
    | None => fst np
    | Some p =>
      let q := image_of {| by_symmetry := g; by_vector := v; exchanging := [] |} p in
      match List.find (fun m => known t (m, snd q)) (fst np :: map fst firsts) with Some m => m | None => fst np end
    end) firsts |}.

(** The symmetries that take coverings to coverings: first those shown to keep the rules, then the others. *)
Definition find_motions (P : puzzle) (t : tables) : list act :=
  let firsts := firsts_of P (its_placements t) in
  filter (takes_coverings P (its_placements t) (known t)) (map (find_act P t firsts) (symmetries P)).
Definition sorted_motions (P : puzzle) (t : tables) : list act * list act :=
  let motions := find_motions P t in
  partition (keepers P (its_placements t) motions) motions.
Definition find_acts (P : puzzle) (t : tables) : list act := fst (sorted_motions P t).
Definition not_seen_to (P : puzzle) (t : tables) : list act := snd (sorted_motions P t).

Lemma partition_filters {A} (f : A -> bool) l : partition f l = (filter f l, filter (fun x => negb (f x)) l).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [partition filter]. rewrite IH. now destruct (f x). Qed.

Lemma find_acts_In P t x : In x (find_acts P t) -> In x (find_motions P t) /\ keepers P (its_placements t) (find_motions P t) x = true.
Proof. unfold find_acts, sorted_motions. rewrite partition_filters. apply filter_In. Qed.

Lemma find_acts_take P t x : In x (find_acts P t) -> takes_coverings P (its_placements t) (known t) x = true.
Proof. intros H. apply find_acts_In in H as [H _]. now apply filter_In in H. Qed.

Lemma motions_sorted P t x : In x (find_motions P t) -> In x (find_acts P t) \/ In x (not_seen_to P t).
Proof.
  intros Hx. unfold find_acts, not_seen_to, sorted_motions. rewrite partition_filters. cbn [fst snd]. rewrite !filter_In.
  destruct (keepers _ _ _ x); auto.
Qed.

(** Acts that have been found take solutions to solutions. *)
Lemma found_keeps P t x : prepared P t -> In x (find_acts P t) -> injective P (its_placements t) x ->
  forall S, covering P S -> (keeps_all P S <-> keeps_all P (acted (image_of x) S)).
Proof.
  intros Pr Hx Inj. apply find_acts_In in Hx as Hk. destruct Hk as [_ Hk].
  apply (rules_kept P (its_placements t) (all_placements P t Pr) (bodies P t Pr) (known t) (known_placements P t Pr) x) with (find_motions P t).
  - now apply find_acts_take.
  - assumption.
  - assumption.
Qed.

Lemma found_solution P t x S : prepared P t -> In x (find_acts P t) -> injective P (its_placements t) x ->
  solution P S -> solution P (acted (image_of x) S).
Proof.
  intros Pr Hx Inj [C K]. split.
  - apply (acted_covering P (its_placements t) (known t) (known_placements P t Pr) (all_placements P t Pr) (bodies P t Pr)); try assumption.
    now apply find_acts_take.
  - now apply (proj1 (found_keeps P t x Pr Hx Inj S C)).
Qed.

(** Under these conditions no symmetry can be missed: placements of different tiles look different, each tile has a placement, and only
    atoms of the form have colours. *)
Definition all_found (P : puzzle) (t : tables) : bool :=
  let pls := set_of (its_placements t) in
  Nat.eqb (length (set_of (map snd pls))) (length pls) &&
  forallb (fun np => match snd np with Some _ => true | None => false end) (firsts_of P (its_placements t)) &&
  match form_list P with [] => false | _ => true end &&
  forallb (fun ac => member (fst ac) (form_list P)) (coloured P) &&
  forallb (known t) (its_placements t).

(** ** Corners *)

Definition below (v w : point) : Prop := Forall2 Z.le v w.

Lemma below_antisym v : forall w, below v w -> below w v -> v = w.
Proof. induction v; intros w H K; inversion H; subst; [reflexivity|]. inversion K; subst. f_equal; [lia|]. now apply IHv. Qed.

Lemma below_refl v : below v v.
Proof. induction v; constructor; auto. lia. Qed.

Lemma below_trans u : forall v w, below u v -> below v w -> below u w.
Proof.
  induction u; intros v w H K; inversion H; subst; inversion K; subst; constructor; [lia|]. eapply IHu; eassumption.
Qed.

Lemma least_of_below v : forall w, length v = length w -> below (least_of v w) v /\ below (least_of v w) w.
Proof.
  induction v as [|x v IH]; intros [|y w] L; try discriminate; cbn; [split; constructor|].
  destruct (IH w) as [A B]; [now injection L|]. split; constructor; auto; lia.
Qed.

Lemma below_least_of u : forall v w, below u v -> below u w -> below u (least_of v w).
Proof.
  induction u; intros v w H K; inversion H; subst; inversion K; subst; cbn; constructor; [lia|]. now apply IHu.
Qed.

Lemma least_of_length v : forall w, length v = length w -> length (least_of v w) = length v.
Proof. induction v as [|x v IH]; intros [|y w] L; try discriminate; cbn; auto. Qed.

Lemma least_of_plus v : forall w u, least_of (plus v u) (plus w u) = plus (least_of v w) u.
Proof. induction v as [|x v IH]; intros [|y w] [|z u]; cbn; auto. f_equal; [lia|apply IH]. Qed.

Section Corners.
Variable d : nat.

Lemma corner_spec l : l <> [] -> (forall a, In a l -> length (fst a) = d) ->
  length (corner l) = d /\ (forall a, In a l -> below (corner l) (fst a)) /\
  forall u, (forall a, In a l -> below u (fst a)) -> below u (corner l).
Proof.
  destruct l as [|a l]; [congruence|]. intros _ L. unfold corner.
  assert (G : forall (l : list atom) (v : point), length v = d -> (forall a, In a l -> length (fst a) = d) ->
    let c := fold_left (fun v b => least_of v (fst b)) l v in
    length c = d /\ below c v /\ (forall a, In a l -> below c (fst a)) /\
    forall u : point, below u v -> (forall a, In a l -> below u (fst a)) -> below u c).
  { clear. induction l as [|a l IH]; intros v Lv L; cbn.
    - split; [assumption|]. split; [apply below_refl|]. split; [intros a []|auto].
    - assert (La : length v = length (fst a)) by (rewrite Lv; symmetry; apply L; now left).
      destruct (IH (least_of v (fst a))) as (A & B & C & D).
      { now rewrite least_of_length. } { intros b Hb. apply L. now right. }
      destruct (least_of_below v (fst a) La) as [X Y]. split; [assumption|]. split; [now apply below_trans with (least_of v (fst a))|].
      split.
      + intros b [<-|Hb]; [now apply below_trans with (least_of v (fst a))|auto].
      + intros u Hu Ha. apply D; [apply below_least_of; auto|auto]. }
  destruct (G l (fst a)) as (A & B & C & D); [apply L; now left|intros b Hb; apply L; now right|].
  split; [assumption|]. split; [intros b [<-|Hb]; auto|]. intros u Hu. apply D; [apply Hu; now left|].
  intros b Hb. apply Hu. now right.
Qed.

Lemma corner_same l m : l <> [] -> m <> [] -> (forall a, In a l -> length (fst a) = d) -> (forall a, In a l <-> In a m) ->
  corner l = corner m.
Proof.
  intros Nl Nm L E. destruct (corner_spec l Nl L) as (_ & A & B).
  destruct (corner_spec m Nm) as (_ & C & D). { intros a Ha. now apply L, E. }
  apply below_antisym; [apply D|apply B]; intros a Ha; [now apply A, E|now apply C, E].
Qed.

Lemma corner_shifted l v : l <> [] -> corner (map (shifted v) l) = plus (corner l) v.
Proof.
  destruct l as [|a l]; [congruence|]. intros _. cbn [map corner]. unfold shifted at 2. cbn [fst].
  generalize (fst a) as w. induction l as [|b l IH]; intros w; [reflexivity|]. cbn [map fold_left].
  unfold shifted at 2. cbn [fst]. rewrite least_of_plus. apply IH.
Qed.
End Corners.

Lemma minus_plus d : forall x v, length x = d -> length v = d -> minus (plus x v) x = v.
Proof. induction d as [|d IH]; intros [|a x] [|b v]; cbn; intros; try discriminate; auto. f_equal; [lia|]. apply IH; congruence. Qed.

(** ** None is missed *)

Section Missed.
Variables (P : puzzle) (t : tables).
Hypothesis pr : prepared P t.
Hypothesis fixed_known : forall p, In p (fixed P) -> In p (its_placements t).
Hypothesis ok : all_found P t = true.

Lemma looks_differ p q : In p (its_placements t) -> In q (its_placements t) -> snd p = snd q -> p = q.
Proof.
  unfold all_found in ok. rewrite !andb_true_iff in ok. destruct ok as [[[[T _] _] _] _]. apply Nat.eqb_eq in T.
  rewrite <- (map_length snd (set_of (its_placements t))) in T. apply set_of_length in T.
  assert (G : forall l : list placement, NoDup (map snd l) -> forall p q, In p l -> In q l -> snd p = snd q -> p = q).
  { clear. induction l as [|r l IH]; intros N p q Hp Hq E; [destruct Hp|]. inversion N as [|? ? Nr N']; subst.
    destruct Hp as [->|Hp], Hq as [->|Hq]; auto; exfalso; apply Nr; [rewrite E|rewrite <- E]; now apply in_map. }
  intros Hp Hq. apply (G _ T); now apply set_of_In.
Qed.

Lemma alike_sets_from {A} `{Lawful A} (f : A -> A) (l : list A) :
  (forall a, In a l <-> exists b, In b l /\ a = f b) -> alike_sets f l = true.
Proof.
  intros E. unfold alike_sets. apply same_iff, ascending_unique; try apply set_of_ascending. intros a.
  rewrite !set_of_In, in_map_iff, (E a). split; intros (b & ? & ?); exists b; auto.
Qed.

Section One.
Variables (g : symmetry) (v : point) (e : list nat).
Hypothesis sym : puzzle_symmetry P g v e.
Let x := {| by_symmetry := g; by_vector := v; exchanging := e |}.

Lemma form_onto a : In a (form_list P) <-> exists b, In b (form_list P) /\ a = move g v b.
Proof.
  pose proof (onto_form P g v e sym (required P) ltac:(cbn; auto)) as R.
  pose proof (onto_form P g v e sym (optional P) ltac:(cbn; auto)) as O.
  rewrite form_list_iff. unfold form. rewrite R, O. split.
  - intros [(b & Hb & ->)|(b & Hb & ->)]; exists b; (split; [apply form_list_iff|reflexivity]); [now left|now right].
  - intros (b & Hb & ->). apply form_list_iff in Hb as [Hb|Hb]; [left|right]; eauto.
Qed.

Lemma vector_found : minus (corner (form_list P)) (corner (map (move g (zero (dimension P))) (form_list P))) = v.
Proof.
  set (d := dimension P). destruct (of_grid P g v e sym) as [_ Lv]. fold d in Lv.
  assert (Ne : form_list P <> []).
  { unfold all_found in ok. rewrite !andb_true_iff in ok. destruct ok as [[[_ T] _] _]. destruct (form_list P); [discriminate T|discriminate]. }
  assert (Lf : forall a, In a (form_list P) -> length (fst a) = d).
  { intros a Ha. apply (form_dimension P t pr). now apply form_list_iff. }
  assert (Lm : forall a, In a (map (move g (zero d)) (form_list P)) -> length (fst a) = d).
  { intros a Ha. apply in_map_iff in Ha as (b & <- & Hb).
    assert (M : length (fst (move g v b)) = d) by (apply Lf, form_onto; eauto).
    rewrite (move_shifted d) in M by assumption. unfold shifted in M. cbn [fst] in M. rewrite plus_length in M.
    unfold move in *; cbn [fst] in *. rewrite plus_length in *. unfold zero in *. rewrite repeat_length in *. lia. }
  assert (Nm : map (move g (zero d)) (form_list P) <> []) by (destruct (form_list P); [congruence|discriminate]).
  rewrite (corner_same d (form_list P) (map (shifted v) (map (move g (zero d)) (form_list P)))); try assumption.
  - rewrite corner_shifted by assumption. apply (minus_plus d); [|assumption]. now apply (corner_spec d).
  - destruct (map (move g (zero d)) (form_list P)); [congruence|discriminate].
  - intros a. rewrite form_onto, map_map, in_map_iff. split; intros (b & H & K); exists b.
    + split; [|assumption]. rewrite K. symmetry. now apply move_shifted.
    + split; [assumption|]. rewrite <- H. symmetry. now apply move_shifted.
Qed.

Lemma length_e : length e = length (tiles P).
Proof. apply (exchange P g v e sym). Qed.

Lemma image_there p : In p (its_placements t) -> In (image_of x p) (its_placements t).
Proof.
  intros Hp. pose proof Hp as Hp'. apply (all_placements P t pr) in Hp' as H.
  destruct (same_placements P g v e sym p H) as (q & B & Q).
  apply (becomes_image P (its_placements t) (all_placements P t pr) x) in B; [|assumption|apply length_e].
  subst q. now apply (all_placements P t pr).
Qed.

Lemma known_iff p : known t p = true <-> In p (its_placements t).
Proof.
  split; [apply (known_placements P t pr)|]. unfold all_found in ok. rewrite !andb_true_iff, !forallb_forall in ok.
  destruct ok as [_ K]. apply K.
Qed.

Lemma nth_error_ext {A} (l : list A) : forall m, (forall n, nth_error l n = nth_error m n) -> l = m.
Proof.
  induction l as [|a l IH]; intros [|b m] E; auto; try (specialize (E 0%nat); discriminate).
  f_equal; [specialize (E 0%nat); cbn in E; congruence|]. apply IH. intros n. exact (E (Datatypes.S n)).
Qed.

Lemma exchange_found : exchanging (find_act P t (firsts_of P (its_placements t)) g) = e.
Proof.
  unfold find_act. cbn [exchanging]. rewrite vector_found.
  set (others := map fst (firsts_of P (its_placements t))). unfold firsts_of. rewrite map_map. cbn [fst snd].
  apply nth_error_ext. intros n. destruct (Nat.lt_ge_cases n (length (tiles P))) as [Ln|Ln].
  2: { rewrite (proj2 (nth_error_None e n)) by (rewrite length_e; assumption).
       apply nth_error_None. now rewrite map_length, seq_length. }
  assert (Sq : nth_error (seq 0 (length (tiles P))) n = Some n).
  { rewrite (nth_error_nth' _ 0%nat) by now rewrite seq_length. now rewrite seq_nth. }
  rewrite (map_nth_error _ _ _ Sq). clear Sq. assert (F : exists p, List.find (fun p => Nat.eqb (tile_of p) n) (its_placements t) = Some p).
  { unfold all_found in ok. rewrite !andb_true_iff, !forallb_forall in ok. destruct ok as [[[[_ T] _] _] _].
    assert (I : In (n, List.find (fun p => Nat.eqb (tile_of p) n) (its_placements t)) (firsts_of P (its_placements t))).
    { unfold firsts_of. apply in_map_iff. exists n. split; [reflexivity|]. apply in_seq. lia. }
    apply T in I. cbn [snd] in I. destruct (List.find _ _) as [p|]; [eauto|discriminate]. }
  destruct F as (p & F). rewrite F. apply find_some in F as [Hp Tp]. apply Nat.eqb_eq in Tp.
  pose proof (image_there p Hp) as Hq.
  destruct (nth_error e n) as [m|] eqn:En; [|apply nth_error_None in En; rewrite length_e in En; lia].
  assert (Tq : tile_of (image_of x p) = m).
  { unfold image_of, tile_of at 1; cbn [fst exchanging x]. rewrite Tp. now apply nth_error_nth. }
  assert (Fd : forall l, In m l -> List.find (fun k => known t (k, snd (image_of x p))) l = Some m).
  { assert (Km : known t (m, snd (image_of x p)) = true).
    { apply known_iff. rewrite <- Tq. unfold tile_of. now rewrite <- surjective_pairing. }
    intros l Hl. destruct (List.find _ l) as [k|] eqn:Fk.
    - apply find_some in Fk as [_ Fk]. apply known_iff in Fk, Km.
      pose proof (looks_differ _ _ Fk Km eq_refl) as E. congruence.
    - apply (find_none _ _ Fk) in Hl. cbv beta in Hl. congruence. }
  change (snd (image_of {| by_symmetry := g; by_vector := v; exchanging := [] |} p)) with (snd (image_of x p)).
  rewrite Fd; [reflexivity|]. right. unfold others, firsts_of. rewrite map_map. cbn [fst]. rewrite map_id. apply in_seq.
  split; [lia|]. cbn. destruct (proj2 (proj2 (exchange P g v e sym)) n m En) as (_ & u & _ & Eu & _). apply nth_error_Some. congruence.
Qed.

Lemma find_act_is : find_act P t (firsts_of P (its_placements t)) g = x.
Proof. pose proof exchange_found as E. unfold find_act in *. cbn [exchanging] in E. rewrite E, vector_found. reflexivity. Qed.

Lemma same_copies_b_from u w : same_copies u w -> same_copies_b u w = true.
Proof.
  intros (L & H & R). unfold same_copies_b. rewrite !andb_true_iff, Z.eqb_eq, high_same_iff. split; [auto|].
  apply orb_true_iff. destruct R as [R|R]; [left; now apply high_same_iff|right]. apply forallb_forall. intros r _.
  apply Nat.eqb_eq. clear - R. induction R; cbn; repeat match goal with |- context [range_same r ?y] => destruct (range_same r y) end;
    cbn; congruence.
Qed.

Lemma symmetry_tested : takes_coverings P (its_placements t) (known t) x = true.
Proof.
  pose proof (exchange P g v e sym) as (Nd & Le & Ex).
  unfold takes_coverings. rewrite !andb_true_iff, !forallb_forall. cbn [by_vector by_symmetry exchanging x].
  repeat split.
  - apply Nat.eqb_eq. now apply (of_grid P g v e sym).
  - apply orb_true_iff. destruct (no_mirror P g v e sym) as [M|M]; [now left|right]. now rewrite M.
  - apply alike_sets_from. apply (onto_form P g v e sym). cbn; auto.
  - apply alike_sets_from. apply (onto_form P g v e sym). cbn; auto.
  - apply alike_sets_from. apply (onto_form P g v e sym). cbn; auto.
  - assert (Cf : forall a c, In (a, c) (coloured P) -> In a (form_list P)).
    { unfold all_found in ok. rewrite !andb_true_iff, !forallb_forall in ok. destruct ok as [[_ C] _].
      intros a c H. specialize (C _ H). now apply member_iff in C. }
    apply alike_sets_from. intros [a c]. split.
    + intros H. pose proof (Cf a c H) as Ha. apply form_onto in Ha as (b & Hb & ->). exists (b, c). split; [|reflexivity].
      apply (proj2 (same_colours P g v e sym b c (proj1 (form_list_iff P b) Hb))). assumption.
    + intros ([b c'] & Hb & E). cbn [fst snd] in E. pose proof (f_equal fst E : a = move g v b) as ->.
      pose proof (f_equal snd E : c = c') as ->.
      apply (proj1 (same_colours P g v e sym b c' (proj1 (form_list_iff P b) (Cf b c' Hb)))). assumption.
  - unfold exchange_ok. rewrite !andb_true_iff, !forallb_forall. repeat split.
    + now apply Nat.eqb_eq.
    + intros n Hn. apply member_iff.
      assert (I : incl (seq 0 (length (tiles P))) e); [|now apply I].
      apply NoDup_length_incl; [assumption|rewrite seq_length; lia|]. intros m Hm.
      apply In_nth_error in Hm as (k & Hk). destruct (Ex k m Hk) as (_ & u & _ & Eu & _). apply in_seq. split; [lia|]. cbn.
      apply nth_error_Some. congruence.
    + intros n Hn. apply in_seq in Hn as [_ Hn]. cbn in Hn. rewrite <- Le in Hn.
      pose proof (nth_error_nth' e 0%nat Hn) as En. destruct (Ex _ _ En) as (u & w & -> & -> & C).
      now apply same_copies_b_from.
  - intros p Hp. apply known_iff. now apply image_there.
  - apply alike_sets_from. intros q. rewrite (same_fixed P g v e sym q). split; intros (p & Hp & B); exists p; (split; [assumption|]).
    + now apply (becomes_image P (its_placements t) (all_placements P t pr) x); [apply fixed_known|apply length_e|].
    + subst q. apply (image_becomes P (its_placements t) (all_placements P t pr) x); [now apply fixed_known|apply length_e].
Qed.

Lemma symmetry_listed : In x (find_motions P t).
Proof.
  unfold find_motions. apply filter_In. split; [|apply symmetry_tested]. apply in_map_iff. exists g.
  split; [apply find_act_is|]. apply (of_grid P g v e sym).
Qed.
End One.

(** So two solutions are alike if and only if an act of [find_acts] takes one to the other, provided that every other motion is refuted: it
    takes some solution to a covering that breaks a rule. *)
Theorem acts_alike : is_group P (its_placements t) (find_acts P t) = true ->
  (forall x, In x (not_seen_to P t) -> exists S, solution P S /\ ~ keeps_all P (acted (image_of x) S)) ->
  forall S T, solution P S -> (exists x, In x (find_acts P t) /\ T = acted (image_of x) S) <-> alike P S T.
Proof.
  intros Gp Refuted S T HS.
  assert (K : forall S, covering P S -> forall p, In p S -> In p (its_placements t)).
  { intros S' HS' p Hp. now apply (all_placements P t pr), (of_placements P S' HS'). }
  split.
  - intros (x & Hx & ->). unfold is_group, is_group_on in Gp. rewrite !andb_true_iff, !forallb_forall in Gp. destruct Gp as [_ G3].
    pose proof (find_acts_take P t x Hx) as G1. specialize (G3 x Hx). apply andb_true_iff in G3 as [G3 _].
    apply existsb_exists in G3 as (y & _ & U).
    assert (Hg : In (by_symmetry x) (symmetries P)).
    { apply find_acts_In in Hx as [Hx _]. unfold find_motions in Hx. apply filter_In in Hx as [Hx _].
      apply in_map_iff in Hx as (g & <- & Hg). exact Hg. }
    assert (Le : length (exchanging x) = length (tiles P)).
    { unfold takes_coverings in G1. rewrite !andb_true_iff in G1. now apply exchange_ok_spec. }
    assert (Inj : injective P (its_placements t) x) by now apply undone_injective with y.
    exists (by_symmetry x), (by_vector x), (exchanging x). split.
    + apply (is_symmetry_sound P (its_placements t) (known t) (known_placements P t pr) (all_placements P t pr)); try assumption.
      exact (found_keeps P t x pr Hx Inj).
    + apply (acted_become P (its_placements t) (all_placements P t pr)); [apply K; exact (is_covering P S HS)|assumption].
  - intros (g & v & e & Sy & As). set (x := {| by_symmetry := g; by_vector := v; exchanging := e |}).
    assert (Become : forall S T, solution P S -> become g v e S T -> T = acted (image_of x) S).
    { intros S' T' HS'. apply (become_acted P (its_placements t) (all_placements P t pr) x); [apply K; exact (is_covering P S' HS')|now apply (length_e g v e)]. }
    exists x. split; [|now apply Become]. destruct (motions_sorted P t x (symmetry_listed g v e Sy)) as [|D]; [assumption|].
    exfalso. destruct (Refuted x D) as (S' & HS' & N). apply N. apply (same_rules P g v e Sy S'); [exact (is_covering P S' HS')| |exact (has_kept P S' HS')].
    apply (acted_become P (its_placements t) (all_placements P t pr) x); [apply K; exact (is_covering P S' HS')|now apply (length_e g v e)].
Qed.
End Missed.
