(** * The checker of certificates, and that what it accepts is so *)

From Coq Require Import List Bool ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets Find Cover Geometry Covers Trie Tree Tables Symmetry Orbits Prepare Distinct
  Grid Labels Weighting Complete.
Import ListNotations.
Open Scope Z_scope.

(** The images of all placements are found once. *)
Definition remembered (pls : list placement) (x : act) : list placement -> list placement :=
  let images := index_of (map (fun p => (p, image_of x p)) pls) in
  acted (fun p => match find p images with Some q => q | None => image_of x p end).

(** ** What a certificate says besides its puzzle *)

Record hints := {
  kept : option (nat * list Z);     (* a tile, and the numbers of those of its placements that stand for all *)
  removals : list (Z * Z);          (* numbers of a placement and of an item *)
  starved : bool;                   (* whether some item then has too few placements, so that no tree is needed *)
  weights : option (list (Z * Z) * Z);   (* numbers of required atoms with weights, and a modulus: why there is no solution *)
}.

Record outcome (stream : Type) := {
  placements_found : nat;
  symmetries_found : list symmetry;
  solutions_found : nat;   (* by the tree *)
  counted_labelled : option Z;
  counted_all : Z;
  counted_distinct : option Z;
  rest : stream;           (* of the tree *)
}.
Arguments placements_found {stream}. Arguments symmetries_found {stream}. Arguments solutions_found {stream}.
Arguments counted_labelled {stream}. Arguments counted_all {stream}. Arguments counted_distinct {stream}. Arguments rest {stream}.

Definition numbered_things {A} (l : list A) : index Z A := index_of (combine (map Z.of_nat (seq 0 (length l))) l).

Definition starved_branch (branches : list branch) (P : option set) : option branch :=
  match P with
  | None => None
  | Some P => List.find (fun b : branch => Z.of_nat (length (Trie.pick row (Search.choices b) P)) <? Search.need b) branches
  end.

Definition kept_ok (P : puzzle) (acts : list act) (pls : list placement) (n : nat) (stand : list placement) : bool :=
  (tile_low P n =? 1) && high_same (tile_high P n) (Some 1) && forallb (fun q => Nat.eqb (tile_of q) n) stand &&
  forallb (fun p => negb (Nat.eqb (tile_of p) n) || existsb (fun x => member (image_of x p) stand) acts) pls.

(** Weights of required atoms, by their numbers; no other atom has one. *)
Definition weight_of (P : puzzle) (pairs : list (Z * Z)) : atom -> Z :=
  let atoms := numbered_things (required P) in
  let heavy := index_of (set_of (flat_map (fun nw => match find (fst nw) atoms with Some a => [(a, snd nw)] | None => [] end) pairs)) in
  fun a => match find a heavy with Some x => x | None => 0 end.

(** That the placements that are possible cannot add up to the weight of the form. *)
Definition outweighed (P : puzzle) (t : tables) (pairs : list (Z * Z)) (m : Z) (possible : option set) : bool :=
  match possible with
  | None => false
  | Some Q => too_heavy P (weight_of P pairs) m (map (fun r : row => Search.id r) (filter (fun r : row => Trie.mem (Search.here r) Q) (rows t)))
  end.

(** Copies are told apart where they can be counted: there is no solution, or no tile has several copies, or all labels of
    a tile can be used freely. *)
Definition count_labelled (P : puzzle) (acting : list (list placement -> list placement)) (found : list (list placement)) : option Z :=
  if total acting found =? 0 then Some 0
  else if single_copies P then Some (total acting found)
  else if labels_ok P then Some (total_of acting (ways P) found)
  else None.

(** [next] yields the numbers of items counted from 1. *)
Definition accept {stream : Type} (P : puzzle) (h : hints) (next : stream -> option (positive * stream)) (s : stream)
    : option (outcome stream) :=
  if negb (is_grid_b P) then None else
  match prepare P with
  | None => None
  | Some t =>
    let pls := its_placements t in
    let acts := find_acts P t in
    let row_index := numbered_things (rows t) in
    let branch_index := numbered_things (branches t) in
    let branch_numbers := number_from 1 (branches t) in
    let stand := match kept h with
      | None => []
      | Some (_, ks) => flat_map (fun k => match find k row_index with Some r => [Search.id r] | None => [] end) ks
      end in
    let allowed p := match kept h with None => true | Some (n, _) => negb (Nat.eqb (tile_of p) n) || member p stand end in
    let allowed_set := set_of_places (map (fun r : row => Search.here r) (filter (fun r : row => allowed (Search.id r)) (rows t))) in
    let forced := filter (fun r : row => member (Search.id r) (fixed P)) (rows t) in
    let removed := flat_map (fun oi => match find (fst oi) row_index, find (snd oi) branch_index with
      | Some r, Some b => [(r, b)] | _, _ => [] end) (removals h) in
    let hungry := if starved h then starved_branch (branches t) (Search.remove removed allowed_set) else None in
    let next_branch s := if starved h then match hungry with Some b => Some (b, s) | None => None end else match next s with
      | None => None
      | Some (n, s) => match get n branch_numbers with None => None | Some b => Some (b, s) end
      end in
    if forallb (known t) (fixed P) && is_group P pls (known t) acts &&
       match kept h with None => true | Some (n, _) => kept_ok P acts pls n stand end &&
       forallb (fun r : row => negb (allowed (Search.id r)) || Trie.mem (Search.here r) allowed_set) (rows t) &&
       Nat.eqb (length (set_of (Search.ids forced))) (length (Search.ids forced))
    then
      match match weights h with
        | Some (pairs, m) => if outweighed P t pairs m (Search.remove removed allowed_set) then Some (s, []) else None
        | None => Search.search (placements_clash P) (branches t) next_branch (S (length pls)) allowed_set forced removed s
        end with
      | None => None
      | Some (s, F) =>
        let found := filter (fun S => forallb (fun p => member p S) (fixed P) && keeps_rules P S) (Search.distinct F) in
        let sorted := set_of pls in
        let acting := map (remembered sorted) acts in
        Some {| placements_found := length pls; symmetries_found := map by_symmetry acts; solutions_found := length found;
                counted_labelled := count_labelled P acting found; counted_all := total acting found;
                counted_distinct := if all_found P t && complete_b P then Some (Z.of_nat (length (representatives acting found))) else None; rest := s |}
      end
    else None
  end.

(** ** Its soundness *)

Lemma numbered_things_In {A} (l : list A) n x : find n (numbered_things l) = Some x -> In x l.
Proof. intros F. apply find_index_of in F. now apply in_combine_r in F. Qed.

Lemma remembered_acted pls x S : remembered pls x S = acted (image_of x) S.
Proof.
  unfold remembered, acted. f_equal. apply map_ext. intros p.
  destruct (find p _) as [q|] eqn:F; [|reflexivity]. apply find_index_of, in_map_iff in F as (r & [= -> <-] & _). reflexivity.
Qed.

(** A solution has one placement of a tile that is used once; an act that takes that to one that stands for all takes the
    solution to one that is found. *)
Lemma kept_enough P t acts n stand S : prepared P t ->
  (forall x, In x acts -> forall S, solution P S -> solution P (acted (image_of x) S)) ->
  kept_ok P acts (its_placements t) n stand = true -> solution P S ->
  exists x, In x acts /\ forall q, In q (acted (image_of x) S) -> tile_of q = n -> In q stand.
Proof.
  intros Pr Act K HS. unfold kept_ok in K. rewrite !andb_true_iff, Z.eqb_eq, high_same_iff, !forallb_forall in K.
  destruct K as [[[L H] T] K]. unfold tile_low in L. unfold tile_high in H.
  destruct (nth_error (tiles P) n) as [u|] eqn:E; [|discriminate].
  assert (One : forall S, solution P S -> copies n S = 1).
  { intros S' HS'. destruct (kept_copies P S' HS' n u E) as [C1 C2]. rewrite H in C2. cbn in C2. lia. }
  pose proof (One S HS) as C. unfold copies in C.
  destruct (filter (fun p => Nat.eqb (tile_of p) n) S) as [|p l] eqn:Fi; [discriminate|].
  assert (Hp : In p (p :: l)) by now left. rewrite <- Fi in Hp. apply filter_In in Hp as [Hp Tp]. clear Fi l C.
  assert (Kp : In p (its_placements t)) by now apply (all_placements P t Pr), (of_placements P S HS).
  specialize (K p Kp). rewrite Tp in K. cbn [negb orb] in K. apply existsb_exists in K as (x & Hx & M).
  apply member_iff in M. exists x. split; [assumption|]. intros q Hq Tq.
  destruct (equal_dec q (image_of x p)) as [->|Dq]; [assumption|]. exfalso.
  pose proof (One _ (Act x Hx S HS)) as C. unfold copies in C.
  assert (In (image_of x p) (acted (image_of x) S)) by (apply set_of_In; now apply in_map).
  assert (2 <= length (filter (fun p => Nat.eqb (tile_of p) n) (acted (image_of x) S)))%nat; [|lia].
  change 2%nat with (length [q; image_of x p]). apply NoDup_incl_length.
  - constructor; [|constructor; [intros []|constructor]]. intros [|[]]; congruence.
  - intros r [<-|[<-|[]]]; apply filter_In; (split; [assumption|]); [now apply Nat.eqb_eq|now apply T].
Qed.

Section Accepted.
Context {stream : Type}.
Variables (P : puzzle) (h : hints) (next : stream -> option (positive * stream)) (s : stream) (o : outcome stream).
Hypothesis accepted : accept P h next s = Some o.

(** All that is known when a certificate is accepted. *)
Lemma accepted_facts : exists t found,
  prepared P t /\
  (forall p, In p (fixed P) -> In p (its_placements t)) /\
  is_group P (its_placements t) (known t) (find_acts P t) = true /\
  counted_labelled o = count_labelled P (map (remembered (set_of (its_placements t))) (find_acts P t)) found /\
  counted_all o = total (map (remembered (set_of (its_placements t))) (find_acts P t)) found /\
  counted_distinct o = (if all_found P t && complete_b P then
    Some (Z.of_nat (length (representatives (map (remembered (set_of (its_placements t))) (find_acts P t)) found))) else None) /\
  (forall S, In S found -> solution P S) /\
  (forall S, solution P S -> exists g, In g (map (remembered (set_of (its_placements t))) (find_acts P t)) /\ In (g S) found).
Proof.
  unfold accept in accepted. destruct (is_grid_b P); [|discriminate]. destruct (prepare P) as [t|] eqn:Ep; [|discriminate]. apply prepare_right in Ep as Pr.
  cbv zeta in accepted. destruct (_ && _) eqn:Tests in accepted; [|discriminate].
  rewrite !andb_true_iff, !forallb_forall in Tests. destruct Tests as ((((Fx & Gp) & Ke) & Al) & Fo).
  destruct (match weights h with Some _ => _ | None => _ end) as [[s' F]|] eqn:Se in accepted; [|discriminate].
  injection accepted as <-. cbn [counted_labelled counted_all counted_distinct].
  assert (Fixed : forall p, In p (fixed P) -> In p (its_placements t)) by (intros p Hp; now apply (known_placements P t Pr), Fx).
  exists t. eexists. split; [exact Pr|]. split; [exact Fixed|]. split; [exact Gp|].
  split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
  set (pr := problem_of P (its_placements t)).
  assert (Acts : forall x, In x (find_acts P t) -> is_symmetry P (its_placements t) (known t) x = true /\
    injective P (its_placements t) x).
  { unfold is_group in Gp. rewrite !andb_true_iff, !forallb_forall in Gp. destruct Gp as [[G1 _] G2]. intros x Hx.
    split; [now apply G1|]. specialize (G2 x Hx). apply andb_true_iff in G2 as [G2 _].
    apply existsb_exists in G2 as (y & _ & U). now apply undone_injective with y. }
  assert (Act : forall x, In x (find_acts P t) -> forall S, solution P S -> solution P (acted (image_of x) S)).
  { intros x Hx S HS. destruct (Acts x Hx) as [Sy In1].
    exact (acted_solution P (its_placements t) (known t) (known_placements P t Pr) (all_placements P t Pr) (bodies P t Pr) x Sy In1 S HS). }
  set (forced := filter (fun r : row => member (Search.id r) (fixed P)) (rows t)) in *.
  assert (Forced : forall p, In p (Search.ids forced) <-> In p (fixed P)).
  { intros p. unfold Search.ids. rewrite in_map_iff. split.
    - intros (r & <- & Hr). apply filter_In in Hr as [_ Hr]. now apply member_iff.
    - intros Hp. destruct (each_row P t Pr p (Fixed p Hp)) as (r & Hr & <-). exists r. split; [reflexivity|].
      apply filter_In. split; [assumption|]. now apply member_iff. }
  set (hungry := if starved h then starved_branch (branches t) _ else None) in *.
  assert (Next : forall s b s', (if starved h then match hungry with Some b => Some (b, s) | None => None end else match next s with
      | None => None
      | Some (n, s) => match get n (number_from 1 (branches t)) with None => None | Some b => Some (b, s) end
      end) = Some (b, s') -> Search.good_branch pr (place_of t) (spot_of t) b).
  { intros s1 b s2 E. apply (good_branches P t Pr). destruct (starved h).
    - unfold hungry, starved_branch in E. destruct (Search.remove _ _) as [Q|]; [|discriminate].
      destruct (List.find _ _) as [b'|] eqn:Fb; [|discriminate]. injection E as <- <-. now apply find_some in Fb.
    - destruct (next s1) as [[n s3]|]; [|discriminate].
      destruct (get n _) as [b'|] eqn:Fb; [|discriminate]. injection E as <- <-. now apply get_number_from in Fb. }
  assert (Rem : Forall (fun x => Search.good_row pr (place_of t) (spot_of t) (fst x) /\
    Search.good_branch pr (place_of t) (spot_of t) (snd x)) (flat_map (fun oi => match find (fst oi) (numbered_things (rows t)),
      find (snd oi) (numbered_things (branches t)) with Some r, Some b => [(r, b)] | _, _ => [] end) (removals h))).
  { apply Forall_forall. intros [r b] Hrb. cbn [fst snd]. apply in_flat_map in Hrb as ([n m] & _ & Hrb). cbn [fst snd] in Hrb.
    destruct (find n _) as [r'|] eqn:Fr; [|destruct Hrb]. destruct (find m _) as [b'|] eqn:Fb; [|destruct Hrb].
    destruct Hrb as [[= <- <-]|[]]. split; [now apply (good_rows P t Pr), (numbered_things_In _ n)|].
    now apply (good_branches P t Pr), (numbered_things_In _ m). }
  set (removed := flat_map _ (removals h)) in *.
  assert (Both : Search.are_covers pr F /\ forall S, solution P S -> Search.inside (place_of t)
    (set_of_places (map (fun r : row => Search.here r) (filter (fun r : row =>
      match kept h with None => true | Some (n, _) => negb (Nat.eqb (tile_of (Search.id r)) n) || member (Search.id r)
        match kept h with
        | None => []
        | Some (_, ks) => flat_map (fun k => match find k (numbered_things (rows t)) with Some r => [Search.id r] | None => [] end) ks
        end end) (rows t)))) S -> Search.is_found F S).
  { destruct (weights h) as [[pairs m]|].
    - destruct (outweighed _ _ _ _ _) eqn:O in Se; [|discriminate]. injection Se as <- <-. split. { intros D []. }
      intros S HS Ins. exfalso. unfold outweighed in O. destruct (Search.remove removed _) as [Q|] eqn:Er in O; [|discriminate].
      pose proof (proj2 (solution_iff P (its_placements t) (all_placements P t Pr) S (a_set P S HS)) HS) as (HC & _ & _).
      apply (too_heavy_sound P (weight_of P pairs) m _ S) in O; [assumption| |apply (bodies P t Pr)|assumption|].
      + intros a N. unfold weight_of in N. destruct (find a _) as [x|] eqn:Fa; [|congruence].
        apply find_index_of in Fa. rewrite set_of_In in Fa. apply in_flat_map in Fa as ([n y] & _ & Fa). cbn [fst snd] in Fa.
        destruct (find n _) as [b|] eqn:Fb; [|destruct Fa]. destruct Fa as [[= <- _]|[]]. now apply numbered_things_In in Fb.
      + intros p Hp. assert (Kp : In p (its_placements t)) by now apply (of_options pr S HC).
        destruct (each_row P t Pr p Kp) as (r & Hr & <-). apply in_map, filter_In. split; [assumption|].
        rewrite (Search.row_here _ _ _ _ (good_rows P t Pr r Hr)).
        exact (Search.remove_sound pr (place_of t) (spot_of t) removed _ _ Er Rem S HC Ins _ Hp).
    - destruct (Search.search_sound (placements_clash P) (branches t) _ pr (place_of t) (spot_of t) eq_refl Next
        (good_branches P t Pr) (each_branch P t Pr) _ _ _ _ _ _ _ Se) as [Right Enough].
      + apply Forall_forall. intros r Hr. apply filter_In in Hr as [Hr _]. now apply (good_rows P t Pr).
      + now apply set_of_length, Nat.eqb_eq.
      + exact Rem.
      + split; [assumption|]. intros S HS Ins.
        pose proof (proj2 (solution_iff P (its_placements t) (all_placements P t Pr) S (a_set P S HS)) HS) as (HC & Hf & _).
        apply Enough; [assumption| |assumption]. intros p Hp. apply Hf. now apply Forced. }
  destruct Both as [Right Enough].
  - clear Next Se. split.
    + intros S HS. apply filter_In in HS as [HS C]. apply andb_true_iff in C as [C1 C2]. rewrite forallb_forall in C1.
      unfold Search.distinct in HS. rewrite set_of_In, in_map_iff in HS. destruct HS as (D & <- & HD).
      apply (solution_iff P (its_placements t) (all_placements P t Pr)); [apply set_of_ascending|].
      split; [|split; [|assumption]].
      * apply cover_Permutation with (Search.ids D); [|now apply Right]. apply Permutation_sym, Permutation_set_of.
        apply (once pr _ (Right D HD)).
      * intros p Hp. now apply member_iff, C1.
    + intros S HS.
      assert (W : exists x, In x (find_acts P t) /\ forall q, In q (acted (image_of x) S) ->
        match kept h with None => true | Some (n, _) => negb (Nat.eqb (tile_of q) n) || member q
          match kept h with
          | None => []
          | Some (_, ks) => flat_map (fun k => match find k (numbered_things (rows t)) with Some r => [Search.id r] | None => [] end) ks
          end end = true).
      { destruct (kept h) as [[n ks]|].
        - destruct (kept_enough P t _ n _ S Pr Act Ke HS) as (x & Hx & K). exists x. split; [assumption|].
          intros q Hq. destruct (Nat.eqb (tile_of q) n) eqn:T; [|reflexivity]. apply Nat.eqb_eq in T. cbn [negb orb].
          apply member_iff. now apply K.
        - unfold is_group in Gp. rewrite !andb_true_iff in Gp. destruct Gp as [[_ G] _].
          apply existsb_exists in G as (x & Hx & _). eauto. }
      destruct W as (x & Hx & W). exists (remembered (set_of (its_placements t)) x).
      split; [now apply in_map|]. rewrite remembered_acted.
      pose proof (Act x Hx S HS) as HS'. set (S' := acted (image_of x) S) in *.
      pose proof (solution_iff P (its_placements t) (all_placements P t Pr) S' (a_set P S' HS')) as Iff.
      pose proof HS' as HS''. apply Iff in HS' as (HC & Hf & Hr). clear Iff.
      apply filter_In. split.
      * destruct (Enough S' HS'') as (D & HD & Pe).
        { intros p Hp. assert (Kp : In p (its_placements t)) by now apply (of_options pr S' HC).
          destruct (each_row P t Pr p Kp) as (r & Hr' & <-). specialize (Al r Hr'). cbv beta in Al.
          rewrite (W _ Hp) in Al. cbn [negb orb] in Al. now rewrite (Search.row_here _ _ _ _ (good_rows P t Pr r Hr')) in Al. }
        unfold Search.distinct. apply set_of_In, in_map_iff. exists D. split; [|assumption].
        rewrite <- (set_of_id S') by apply set_of_ascending. apply set_of_same.
        intros p. split; apply Permutation_in; [assumption|now apply Permutation_sym].
      * apply andb_true_iff. split; [|assumption]. apply forallb_forall. intros p Hp. now apply member_iff, Hf.
Qed.

(** The acts are a group as the counting by orbits asks for it. *)
Lemma remembered_group t : prepared P t -> (forall p, In p (fixed P) -> In p (its_placements t)) ->
  is_group P (its_placements t) (known t) (find_acts P t) = true ->
  let acts := map (remembered (set_of (its_placements t))) (find_acts P t) in
  (forall g S, In g acts -> solution P S -> solution P (g S)) /\
  (exists g, In g acts /\ forall S, solution P S -> g S = S) /\
  (forall g k, In g acts -> In k acts -> exists z, In z acts /\ forall S, solution P S -> z S = g (k S)) /\
  (forall g, In g acts -> exists k, In k acts /\ forall S, solution P S -> k (g S) = S).
Proof.
  intros Pr Fixed Gp acts. unfold is_group in Gp. rewrite !andb_true_iff, !forallb_forall in Gp. destruct Gp as [[G1 G2] G3].
  assert (Inj : forall x, In x (find_acts P t) -> exists y, In y (find_acts P t) /\ undone P (its_placements t) x y = true).
  { intros x Hx. specialize (G3 x Hx). apply andb_true_iff in G3 as [G3 _]. apply existsb_exists in G3 as (y & ? & ?). eauto. }
  assert (Known : forall S p, solution P S -> In p S -> In p (its_placements t)).
  { intros S p HS Hp. now apply (all_placements P t Pr), (of_placements P S HS). }
  assert (Act : forall x, In x (find_acts P t) -> forall S, solution P S -> solution P (acted (image_of x) S)).
  { intros x Hx S HS. destruct (Inj x Hx) as (y & _ & U). apply (acted_solution P (its_placements t) (known t)
      (known_placements P t Pr) (all_placements P t Pr) (bodies P t Pr)); [now apply G1| |assumption].
    now apply undone_injective with y. }
  assert (Comp : forall f (S : list placement) g, (forall p, In p S -> f p = g p) -> acted f S = acted g S).
  { intros f S g E. unfold acted. f_equal. now apply map_ext_in. }
  assert (Twice : forall f g S, acted f (acted g S) = acted (fun p => f (g p)) S).
  { intros f g S. unfold acted. apply set_of_same. intros q. rewrite !in_map_iff. split.
    - intros (r & <- & Hr). rewrite set_of_In, in_map_iff in Hr. destruct Hr as (p & <- & Hp). eauto.
    - intros (p & <- & Hp). exists (g p). split; [reflexivity|]. apply set_of_In. now apply in_map. }
  assert (Same : forall S f, solution P S -> (forall p, In p S -> f p = p) -> acted f S = S).
  { intros S f HS E. unfold acted. rewrite (map_ext_in _ (fun p => p)) by assumption. rewrite map_id.
    apply set_of_id, (a_set P S HS). }
  split; [|split; [|split]].
  - intros g S Hg HS. apply in_map_iff in Hg as (x & <- & Hx). rewrite remembered_acted. now apply Act.
  - apply existsb_exists in G2 as (x & Hx & N). exists (remembered (set_of (its_placements t)) x). split; [now apply in_map|].
    intros S HS. rewrite remembered_acted. apply Same; [assumption|]. intros p Hp.
    apply (nothing_image P (its_placements t) (all_placements P t Pr)); [assumption|]. now apply Known with S.
  - intros g k Hg Hk. apply in_map_iff in Hg as (x & <- & Hx), Hk as (y & <- & Hy).
    specialize (G3 x Hx). apply andb_true_iff in G3 as [_ G3]. rewrite forallb_forall in G3. specialize (G3 y Hy).
    apply existsb_exists in G3 as (z & Hz & C). exists (remembered (set_of (its_placements t)) z). split; [now apply in_map|].
    intros S HS. rewrite !remembered_acted, Twice. apply Comp. intros p Hp.
    apply (composed_image P (its_placements t) (all_placements P t Pr)); [assumption|]. now apply Known with S.
  - intros g Hg. apply in_map_iff in Hg as (x & <- & Hx). destruct (Inj x Hx) as (y & Hy & U).
    exists (remembered (set_of (its_placements t)) y). split; [now apply in_map|].
    intros S HS. rewrite !remembered_acted, Twice. apply Same; [assumption|]. intros p Hp.
    apply (undone_image P (its_placements t) (all_placements P t Pr)); [assumption|]. now apply Known with S.
Qed.

(** The main theorem: an accepted certificate counts all solutions of the puzzle that it states. *)
Theorem accept_counts_all : all_solutions P (counted_all o).
Proof.
  destruct accepted_facts as (t & found & Pr & Fx & Gp & _ & -> & _ & R & E).
  destruct (remembered_group t Pr Fx Gp) as (A & B & C & D).
  now apply total_counts.
Qed.

(** And it counts the solutions up to the symmetries of the puzzle. *)
Theorem accept_counts_distinct n : counted_distinct o = Some n -> distinct_solutions P n.
Proof.
  destruct accepted_facts as (t & found & Pr & Fx & Gp & _ & _ & -> & R & E).
  destruct (all_found P t && complete_b P) eqn:Both; [|discriminate]. apply andb_true_iff in Both as [Al _]. intros [= <-].
  destruct (remembered_group t Pr Fx Gp) as (A & B & C & D).
  destruct (representatives_count _ _ A B C D found R E) as (l & N & L & Q & U & V).
  assert (Rel : forall S T, solution P S ->
    (related (map (remembered (set_of (its_placements t))) (find_acts P t)) S T <-> alike P S T)).
  { intros S T HS. rewrite <- (acts_alike P t Pr Fx Al Gp S T HS). unfold related. split.
    - intros (g & Hg & ->). apply in_map_iff in Hg as (x & <- & Hx). exists x. now rewrite remembered_acted.
    - intros (x & Hx & ->). exists (remembered (set_of (its_placements t)) x). rewrite remembered_acted. split; [now apply in_map|reflexivity]. }
  exists l. split; [assumption|]. split; [assumption|]. split; [assumption|]. split.
  - intros x y Hx Hy Al'. apply U; [assumption..|]. apply Rel; auto.
  - intros x Hx. destruct (V x Hx) as (y & Hy & Ry). exists y. split; [assumption|]. now apply Rel.
Qed.

(** And with copies told apart, where that can be counted. *)
Theorem accept_counts_labelled n : counted_labelled o = Some n -> all_labelled P n.
Proof.
  pose proof accept_counts_all as Al.
  destruct accepted_facts as (t & found & Pr & Fx & Gp & -> & T & _ & R & E). rewrite T in Al. unfold count_labelled.
  destruct (remembered_group t Pr Fx Gp) as (A & B & C & D).
  destruct (total _ found =? 0) eqn:Z0; [|destruct (single_copies P) eqn:S1; [|destruct (labels_ok P) eqn:L1; [|discriminate]]];
    intros [= <-].
  - apply Z.eqb_eq in Z0. rewrite Z0 in Al. now apply labelled_none.
  - now apply labelled_as_all.
  - destruct (everything_spec _ _ A B C D found R E) as [N Ev]. rewrite total_of_everything. now apply labelled_sum.
Qed.

(** Tiles are turned by isometries of the grid. *)
Theorem accept_grid : is_grid P.
Proof.
  unfold accept in accepted. destruct (is_grid_b P) eqn:E; [|discriminate]. now apply is_grid_sound.
Qed.
End Accepted.

(** Where solutions are counted up to symmetry, no symmetry of the grid is missing. *)
Theorem accept_all_symmetries {stream} P h (next : stream -> option (positive * stream)) s o n : accept P h next s = Some o ->
  counted_distinct o = Some n -> has_all_symmetries P.
Proof.
  intros A. destruct (accepted_facts P h next s o A) as (t & found & _ & _ & _ & _ & _ & -> & _).
  destruct (all_found P t && complete_b P) eqn:Both; [|discriminate]. apply andb_true_iff in Both as [_ C]. intros _.
  apply complete_sound; [|assumption]. unfold accept in A. destruct (is_grid_b P); [reflexivity|discriminate].
Qed.

(** All of it together. *)
Theorem accept_sound {stream} P h (next : stream -> option (positive * stream)) s o : accept P h next s = Some o ->
  is_grid P /\ all_solutions P (counted_all o) /\
  (forall n, counted_distinct o = Some n -> has_all_symmetries P /\ distinct_solutions P n) /\
  (forall n, counted_labelled o = Some n -> all_labelled P n).
Proof.
  intros A. split; [now apply (accept_grid P h next s o)|]. split; [now apply (accept_counts_all P h next s o)|]. split; intros n.
  - intros D. split; [now apply (accept_all_symmetries P h next s o n)|now apply (accept_counts_distinct P h next s o)].
  - now apply (accept_counts_labelled P h next s o).
Qed.
