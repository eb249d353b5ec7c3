(** * The checker of certificates, and the proof that accepted counts are true *)

From Coq Require Import List Bool ZArith Lia Permutation Uint63.
From PuzzleSat Require Import Statement Sets Find Cover Geometry Covers Trie Tree Tables Symmetry Orbits Rules Counting Prepare Distinct
  Grid Labels Weighting Complete.
Import ListNotations.
Open Scope Z_scope.

(** ** The contents of a certificate besides its puzzle *)

(** What each solution has exactly one placement of: a tile that is used once, or a required atom. *)
Inductive single := single_tile (n : nat) | single_atom (a : atom).

Record hints := {
  kept : option (single * list Z);  (* a tile or an atom, and the numbers of its placements that represent all of them *)
  removals : list (Z * Z);          (* numbers of a placement and of an item *)
  starved : bool;                   (* true if some item then has too few placements, so that no tree is needed *)
  weights : option (list (Z * Z) * Z);   (* numbers of required atoms with weights, and a modulus: why there is no solution *)
}.

Record outcome (stream : Type) := {
  placements_found : nat;
  symmetries_found : list symmetry;
  perhaps_symmetries : list symmetry;   (* unknown whether they keep the rules *)
  solutions_found : Z;   (* by the tree *)
  counted_labelled : option Z;
  counted_all : Z;
  counted_distinct : option Z;
  rest : stream;           (* the unread part of the tree *)
}.
Arguments placements_found {stream}. Arguments symmetries_found {stream}. Arguments perhaps_symmetries {stream}. Arguments solutions_found {stream}.
Arguments counted_labelled {stream}. Arguments counted_all {stream}. Arguments counted_distinct {stream}. Arguments rest {stream}.

Definition numbered_things {A} (l : list A) : index Z A := index_of (combine (map Z.of_nat (seq 0 (length l))) l).

Definition starved_branch (branches : list branch) (P : option set) : option branch :=
  match P with
  | None => None
  | Some P => List.find (fun b : branch => Z.of_nat (length (Trie.pick row (Search.choices b) P)) <? Search.need b) branches
  end.

(** The placements of a tile, or those that cover an atom; true if each solution has exactly one of them. *)
Definition its (i : single) : placement -> bool :=
  match i with single_tile n => fun p => Nat.eqb (tile_of p) n | single_atom a => fun p => member a (covers p) end.
Definition used_once (P : puzzle) (i : single) : bool :=
  match i with single_tile n => (tile_low P n =? 1) && high_same (tile_high P n) (Some 1) | single_atom a => member a (required P) end.

Definition kept_ok (P : puzzle) (acts : list act) (pls : list placement) (i : single) (stand : list placement) : bool :=
  used_once P i && forallb (its i) stand &&
  forallb (fun p => negb (its i p) || existsb (fun x => member (image_of x p) stand) acts) pls.

(** Weights of required atoms, by their numbers; no other atom has one. *)
Definition weight_of (P : puzzle) (pairs : list (Z * Z)) : atom -> Z :=
  let atoms := numbered_things (required P) in
  let heavy := index_of (set_of (flat_map (fun nw => match find (fst nw) atoms with Some a => [(a, snd nw)] | None => [] end) pairs)) in
  fun a => match find a heavy with Some x => x | None => 0 end.

(** True if the possible placements cannot add up to the weight of the form. *)
Definition outweighed (P : puzzle) (t : tables) (pairs : list (Z * Z)) (m : Z) (possible : option set) : bool :=
  match possible with
  | None => false
  | Some Q => too_heavy P (weight_of P pairs) m (map (fun r : row => Search.id r) (filter (fun r : row => Trie.mem (Search.here r) Q) (rows t)))
  end.

(** If some placements of a tile or of an atom represent all of them, the others are not allowed. *)
Definition allowed_by (h : hints) (stand : list placement) (p : placement) : bool :=
  match kept h with None => true | Some (i, _) => negb (its i p) || member p stand end.

Definition code_of (t : tables) (p : placement) : int := of_Z (Zpos (number_of t p)).

(** The single items, and those among them that need not be covered. *)
Definition single_branch (b : branch) : bool := match Search.most b with Some k => k =? 1 | None => false end.
Definition full_set (branches : list branch) : set :=
  set_of_places (map (fun b : branch => Search.spot b) (filter single_branch branches)).
Definition spare_set (branches : list branch) : set :=
  set_of_places (map (fun b : branch => Search.spot b) (filter (fun b => single_branch b && (Search.need b <=? 0)) branches)).

(** A solution is counted when it is found. If a tile has several copies, they are told apart, and all its labels can be used freely. *)
Definition is_right (P : puzzle) (C : list row) : bool :=
  forallb (fun p => member p (Search.ids C)) (fixed P) && forallb (fun r => keeps_b r (set_of (Search.ids C))) (rules P).

(** An act that takes a solution to none is no symmetry of the puzzle. *)
Definition refuted_by (P : puzzle) (C : list row) (x : act) : bool := negb (keeps_rules P (acted (image_of x) (Search.ids C))).

Definition at_leaf (P : puzzle) (acts : list act) (look : row -> int * list image) (weigh : bool) (C : list row) (T : counts) : counts :=
  if is_right P C then
    let es := map look C in
    let left := not_refuted (refuted_by P) C (unrefuted T) in
    if entries_least acts es then
      let n := entries_size acts es in
      {| count_found := Z.succ (count_found T); count_all := count_all T + n;
         count_labelled := count_labelled T + n * (if weigh then ways P (Search.ids C) else 0);
         count_distinct := Z.succ (count_distinct T); unrefuted := left |}
    else {| count_found := Z.succ (count_found T); count_all := count_all T; count_labelled := count_labelled T;
            count_distinct := count_distinct T; unrefuted := left |}
  else T.

Definition count_labelled_if (P : puzzle) (T : counts) : option Z :=
  if count_all T =? 0 then Some 0
  else if single_copies P then Some (count_all T)
  else if labels_ok P then Some (count_labelled T)
  else None.

(** Solutions up to symmetry are counted only if every symmetry of the puzzle is among the acts; if there is no solution, always. *)
Definition count_distinct_if (P : puzzle) (t : tables) (T : counts) : option Z :=
  if all_found P t && complete_b P && (match unrefuted T with [] => true | _ => false end || (count_all T =? 0))
  then Some (count_distinct T) else None.

(** [next] yields the numbers of items counted from 1. *)
Definition accept {stream : Type} (P : puzzle) (h : hints) (next : stream -> option (positive * stream)) (s : stream)
    : option (outcome stream) :=
  if negb (is_grid_b P) then None else
  match prepare P with
  | None => None
  | Some t =>
    let pls := its_placements t in
    let sorted := sorted_motions P t in
    let acts := fst sorted in
    let nothing_yet := none_yet (snd sorted) in
    let row_index := numbered_things (rows t) in
    let branch_index := numbered_things (branches t) in
    let branch_numbers := number_from 1 (branches t) in
    let stand := match kept h with
      | None => []
      | Some (_, ks) => flat_map (fun k => match find k row_index with Some r => [Search.id r] | None => [] end) ks
      end in
    let allowed_set := set_of_places (map (fun r : row => Search.here r)
      (filter (fun r : row => allowed_by h stand (Search.id r)) (rows t))) in
    let forced := filter (fun r : row => member (Search.id r) (fixed P)) (rows t) in
    let removed := flat_map (fun oi => match find (fst oi) row_index, find (snd oi) branch_index with
      | Some r, Some b => [(r, b)] | _, _ => [] end) (removals h) in
    let hungry := if starved h then starved_branch (branches t) (Search.remove removed allowed_set) else None in
    let next_branch s := if starved h then match hungry with Some b => Some (b, s) | None => None end else match next s with
      | None => None
      | Some (n, s) => match get n branch_numbers with None => None | Some b => Some (b, s) end
      end in
    if forallb (known t) (fixed P) && is_group P pls acts &&
       match kept h with None => true | Some (i, _) => kept_ok P acts pls i stand end &&
       forallb (fun r : row => Bool.eqb (allowed_by h stand (Search.id r)) (Trie.mem (Search.here r) allowed_set)) (rows t) &&
       Nat.eqb (length (set_of (Search.ids forced))) (length (Search.ids forced)) &&
       Nat.eqb (length (set_of (map (code_of t) pls))) (length (map (code_of t) pls))
    then
      let entries := number_from 1 (map (fun p => (p, entry acts (code_of t) (allowed_by h stand) p)) pls) in
      if forallb (fun r : row => match get (Search.number r) entries with Some e => same (fst e) (Search.id r) | None => false end) (rows t)
      then
        let look (r : row) := match get (Search.number r) entries with Some e => snd e | None => (0%uint63, []) end in
        let full := full_set (branches t) in
        let spare := spare_set (branches t) in
        let others := filter (fun b => negb (Search.sorted_out full spare b)) (branches t) in
        let weigh := negb (single_copies P) && labels_ok P in
        match match weights h with
          | Some (pairs, m) => if outweighed P t pairs m (Search.remove removed allowed_set) then Some (s, nothing_yet) else None
          | None => Search.search (placements_clash P) full spare others next_branch (at_leaf P acts look weigh)
              (S (length pls)) allowed_set forced removed s nothing_yet
          end with
        | None => None
        | Some (s, T) =>
          Some {| placements_found := length pls; symmetries_found := map by_symmetry acts;
                  perhaps_symmetries := map by_symmetry (unrefuted T); solutions_found := count_found T;
                  counted_labelled := count_labelled_if P T; counted_all := count_all T;
                  counted_distinct := count_distinct_if P t T; rest := s |}
        end
      else None
    else None
  end.

(** ** Its soundness *)

Lemma numbered_things_In {A} (l : list A) n x : find n (numbered_things l) = Some x -> In x l.
Proof. intros F. apply find_index_of in F. now apply in_combine_r in F. Qed.

Lemma at_leaf_counted P acts look weigh C T : at_leaf P acts look weigh C T =
  counted (is_right P) (fun C => entries_least acts (map look C)) (fun C => entries_size acts (map look C))
    (fun C => if weigh then ways P (Search.ids C) else 0) (refuted_by P) C T.
Proof. reflexivity. Qed.

Lemma filter_mapped {A B} (f : A -> B) (p : A -> bool) (q : B -> bool) l : (forall x, In x l -> p x = q (f x)) ->
  filter q (map f l) = map f (filter p l).
Proof.
  induction l as [|x l IH]; intros E; [reflexivity|]. cbn [map filter]. rewrite <- (E x) by now left.
  rewrite IH by (intros; apply E; now right). now destruct (p x).
Qed.

Lemma once_used P i S : used_once P i = true -> solution P S -> length (filter (its i) S) = 1%nat.
Proof.
  destruct i as [n|a]; cbn [used_once its].
  - intros U HS. rewrite andb_true_iff, Z.eqb_eq, high_same_iff in U. destruct U as [L H]. unfold tile_low in L. unfold tile_high in H.
    destruct (nth_error (tiles P) n) as [u|] eqn:E; [|discriminate].
    destruct (kept_copies P S HS n u E) as [C1 C2]. rewrite H in C2. cbn in C2. unfold copies in C1, C2. lia.
  - intros U HS. apply member_iff in U. destruct (covered P S HS a U) as (p & Hp & Ap).
    assert (length (filter (fun q => member a (covers q)) S) <= length [p])%nat.
    { apply NoDup_incl_length; [apply NoDup_filter, ascending_NoDup, (a_set P S HS)|].
      intros q Hq. apply filter_In in Hq as [Hq Aq]. apply member_iff in Aq. left. now apply (disjoint P S HS p q a). }
    assert (In p (filter (fun q => member a (covers q)) S)) by (apply filter_In; split; [assumption|now apply member_iff]).
    destruct (filter _ S); [contradiction|]. cbn in *. lia.
Qed.

(** A solution has one placement of a tile that is used once, and one that covers an atom; an act that takes this placement to a
    representative takes the solution to a solution that is found. *)
Lemma kept_enough P t acts i stand S : prepared P t ->
  (forall x, In x acts -> forall S, solution P S -> solution P (acted (image_of x) S)) ->
  kept_ok P acts (its_placements t) i stand = true -> solution P S ->
  exists x, In x acts /\ forall q, In q (acted (image_of x) S) -> its i q = true -> In q stand.
Proof.
  intros Pr Act K HS. unfold kept_ok in K. rewrite !andb_true_iff, !forallb_forall in K. destruct K as [[U T] K].
  pose proof (once_used P i S U HS) as C.
  destruct (filter (its i) S) as [|p l] eqn:Fi; [discriminate|].
  assert (Hp : In p (p :: l)) by now left. rewrite <- Fi in Hp. apply filter_In in Hp as [Hp Tp]. clear Fi l C.
  assert (Kp : In p (its_placements t)) by now apply (all_placements P t Pr), (of_placements P S HS).
  specialize (K p Kp). rewrite Tp in K. cbn [negb orb] in K. apply existsb_exists in K as (x & Hx & M).
  apply member_iff in M. exists x. split; [assumption|]. intros q Hq Tq.
  destruct (equal_dec q (image_of x p)) as [->|Dq]; [assumption|]. exfalso.
  pose proof (once_used P i _ U (Act x Hx S HS)) as C.
  assert (In (image_of x p) (acted (image_of x) S)) by (apply set_of_In; now apply in_map).
  assert (2 <= length (filter (its i) (acted (image_of x) S)))%nat; [|lia].
  change 2%nat with (length [q; image_of x p]). apply NoDup_incl_length.
  - constructor; [|constructor; [intros []|constructor]]. intros [|[]]; congruence.
  - intros r [<-|[<-|[]]]; apply filter_In; (split; [assumption|]); [assumption|now apply T].
Qed.

Section Accepted.
Context {stream : Type}.
Variables (P : puzzle) (h : hints) (next : stream -> option (positive * stream)) (s : stream) (o : outcome stream).
Hypothesis accepted : accept P h next s = Some o.

(** All facts that acceptance of a certificate implies: the tree finds each allowed solution once, and counts the representative of each
    orbit. *)
Lemma accepted_facts : exists t (key : list placement -> list int) allowed found, let acts := acting (find_acts P t) in
  prepared P t /\
  (forall p, In p (fixed P) -> In p (its_placements t)) /\
  is_group P (its_placements t) (find_acts P t) = true /\
  (NoDup found /\ forall S, In S found <-> solution P S /\ allowed S = true) /\
  (forall S, solution P S -> exists g, In g acts /\ allowed (g S) = true) /\
  (forall S T, solution P S -> solution P T -> key S = key T -> S = T) /\
  counted_all o = total acts key allowed found /\
  (forall n, counted_distinct o = Some n -> all_found P t = true /\ complete_b P = true /\
    n = Z.of_nat (length (representatives acts key allowed found)) /\
    (counted_all o = 0 \/ forall x, In x (not_seen_to P t) -> exists S, solution P S /\ ~ keeps_all P (acted (image_of x) S))) /\
  counted_labelled o = (if counted_all o =? 0 then Some 0 else if single_copies P then Some (counted_all o)
    else if labels_ok P then Some (total_of acts key allowed found (ways P)) else None).
Proof.
  unfold accept in accepted. destruct (is_grid_b P); [|discriminate]. destruct (prepare P) as [t|] eqn:Ep; [|discriminate]. apply prepare_right in Ep as Pr.
  cbv zeta in accepted. change (fst (sorted_motions P t)) with (find_acts P t) in accepted.
  change (snd (sorted_motions P t)) with (not_seen_to P t) in accepted. destruct (_ && _) eqn:Tests in accepted; [|discriminate].
  rewrite !andb_true_iff, !forallb_forall in Tests. destruct Tests as (((((Fx & Gp) & Ke) & Al) & Fo) & Co).
  destruct (forallb _ (rows t)) eqn:En in accepted; [|discriminate]. rewrite forallb_forall in En.
  destruct (match weights h with Some _ => _ | None => _ end) as [[s' T]|] eqn:Se in accepted; [|discriminate].
  injection accepted as <-. cbn [counted_labelled counted_all counted_distinct].
  assert (Fixed : forall p, In p (fixed P) -> In p (its_placements t)) by (intros p Hp; now apply (known_placements P t Pr), Fx).
  set (stand := match kept h with None => [] | Some _ => _ end) in *.
  set (allowed := allowed_by h stand) in *. set (code := code_of t) in *. set (acts := find_acts P t) in *.
  set (entries := number_from 1 _) in *. set (look := fun r : row => match get (Search.number r) entries with Some e => snd e | None => _ end) in *.
  set (full := full_set (branches t)) in *. set (spare := spare_set (branches t)) in *.
  set (weigh := negb (single_copies P) && labels_ok P) in *.
  set (allowed_set := set_of_places _) in *. set (nothing_yet := none_yet _) in *.
  set (pr := problem_of P (its_placements t)).
  assert (Acts : forall x, In x acts -> injective P (its_placements t) x).
  { unfold is_group, is_group_on in Gp. rewrite !andb_true_iff, !forallb_forall in Gp. destruct Gp as [_ G2]. intros x Hx.
    specialize (G2 x Hx). apply andb_true_iff in G2 as [G2 _].
    apply existsb_exists in G2 as (y & _ & U). now apply undone_injective with y. }
  assert (Act : forall x, In x acts -> forall S, solution P S -> solution P (acted (image_of x) S)).
  { intros x Hx S HS. now apply (found_solution P t x S Pr Hx (Acts x Hx)). }
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
      end) = Some (b, s') -> Search.good_branch pr (place_of t) (spot_of t) (number_of t) b).
  { intros s1 b s2 E. apply (good_branches P t Pr). destruct (starved h).
    - unfold hungry, starved_branch in E. destruct (Search.remove _ _) as [Q|]; [|discriminate].
      destruct (List.find _ _) as [b'|] eqn:Fb; [|discriminate]. injection E as <- <-. now apply find_some in Fb.
    - destruct (next s1) as [[n s3]|]; [|discriminate].
      destruct (get n _) as [b'|] eqn:Fb; [|discriminate]. injection E as <- <-. now apply get_number_from in Fb. }
  assert (Rem : Forall (fun x => Search.good_row pr (place_of t) (spot_of t) (number_of t) (fst x) /\
    Search.good_branch pr (place_of t) (spot_of t) (number_of t) (snd x)) (flat_map (fun oi => match find (fst oi) (numbered_things (rows t)),
      find (snd oi) (numbered_things (branches t)) with Some r, Some b => [(r, b)] | _, _ => [] end) (removals h))).
  { apply Forall_forall. intros [r b] Hrb. cbn [fst snd]. apply in_flat_map in Hrb as ([n m] & _ & Hrb). cbn [fst snd] in Hrb.
    destruct (find n _) as [r'|] eqn:Fr; [|destruct Hrb]. destruct (find m _) as [b'|] eqn:Fb; [|destruct Hrb].
    destruct Hrb as [[= <- <-]|[]]. split; [now apply (good_rows P t Pr), (numbered_things_In _ n)|].
    now apply (good_branches P t Pr), (numbered_things_In _ m). }
  set (removed := flat_map _ (removals h)) in *.
  assert (Sorted : forall b, In b (branches t) -> In b (filter (fun b => negb (Search.sorted_out full spare b)) (branches t)) \/
    Search.sorted_out full spare b = true).
  { intros b Hb. destruct (Search.sorted_out full spare b) eqn:E; [now right|left]. apply filter_In. now rewrite E. }
  (* The set of places tells which placements are allowed. *)
  assert (Allowed : forall p, In p (its_placements t) -> Trie.mem (place_of t p) allowed_set = allowed p).
  { intros p Hp. destruct (each_row P t Pr p Hp) as (r & Hr & <-). specialize (Al r Hr). cbv beta in Al. apply eqb_prop in Al.
    now rewrite (Search.row_here _ _ _ _ _ (good_rows P t Pr r Hr)) in Al. }
  (* The leaves of the tree. *)
  assert (Leaves : exists D, T = fold_left (fun T C => at_leaf P acts look weigh C T) D nothing_yet /\
    (forall C, In C D -> cover pr (Search.ids C) /\ Forall (Search.good_row pr (place_of t) (spot_of t) (number_of t)) C /\
      Search.inside (place_of t) allowed_set (Search.ids C)) /\
    NoDup (map (fun C => set_of (Search.ids C)) D) /\
    forall S, solution P S -> Search.inside (place_of t) allowed_set S -> Search.is_found D S).
  { destruct (weights h) as [[pairs m]|].
    - destruct (outweighed _ _ _ _ _) eqn:O in Se; [|discriminate]. injection Se as <- <-. exists [].
      split; [reflexivity|]. split; [intros C []|]. split; [constructor|].
      intros S HS Ins. exfalso. unfold outweighed in O. destruct (Search.remove removed _) as [Q|] eqn:Er in O; [|discriminate].
      pose proof (proj2 (solution_iff P (its_placements t) (all_placements P t Pr) S (a_set P S HS)) HS) as (HC & _ & _).
      apply (too_heavy_sound P (weight_of P pairs) m _ S) in O; [assumption| |apply (bodies P t Pr)|exact (is_covering P S HS)|].
      + intros a N. unfold weight_of in N. destruct (find a _) as [x|] eqn:Fa; [|congruence].
        apply find_index_of in Fa. rewrite set_of_In in Fa. apply in_flat_map in Fa as ([n y] & _ & Fa). cbn [fst snd] in Fa.
        destruct (find n _) as [b|] eqn:Fb; [|destruct Fa]. destruct Fa as [[= <- _]|[]]. now apply numbered_things_In in Fb.
      + intros p Hp. assert (Kp : In p (its_placements t)) by now apply (of_options pr S HC).
        destruct (each_row P t Pr p Kp) as (r & Hr & <-). apply in_map, filter_In. split; [assumption|].
        rewrite (Search.row_here _ _ _ _ _ (good_rows P t Pr r Hr)).
        exact (proj1 (Search.remove_sound pr (place_of t) (spot_of t) (number_of t) removed _ _ Er Rem) S HC Ins _ Hp).
    - destruct (Search.search_sound (placements_clash P) full spare _ _ (at_leaf P acts look weigh) pr (place_of t) (spot_of t)
        (number_of t) (branches t) eq_refl Next (good_branches P t Pr) (each_branch P t Pr) Sorted _ _ _ _ _ _ _ _ Se)
        as (D & -> & Right & Once & Enough).
      + apply Forall_forall. intros r Hr. apply filter_In in Hr as [Hr _]. now apply (good_rows P t Pr).
      + now apply set_of_length, Nat.eqb_eq.
      + exact Rem.
      + exists D. split; [reflexivity|]. split; [assumption|]. split; [assumption|]. intros S HS Ins.
        pose proof (proj2 (solution_iff P (its_placements t) (all_placements P t Pr) S (a_set P S HS)) HS) as (HC & Hf & _).
        apply Enough; [assumption| |assumption]. intros p Hp. apply Hf. now apply Forced. }
  clear Next Se. destruct Leaves as (D & ET & Right & Once & Enough).
  set (solution_of := fun C : list row => set_of (Search.ids C)) in *.
  assert (Entries : forall C, In C D -> map look C = map (entry acts code allowed) (Search.ids C)).
  { intros C HC. destruct (Right C HC) as (_ & G & _). unfold Search.ids. rewrite map_map. apply map_ext_in. intros r Hr.
    rewrite Forall_forall in G. specialize (G r Hr). destruct (each_row P t Pr (Search.id r)) as (q & Hq & E);
      [exact (Search.row_option _ _ _ _ _ G)|].
    specialize (En q Hq). cbv beta in En. rewrite (Search.row_number _ _ _ _ _ (good_rows P t Pr q Hq)), E in En.
    unfold look. rewrite (Search.row_number _ _ _ _ _ G). destruct (get _ entries) as [e|] eqn:Ge; [|discriminate].
    apply same_iff in En. apply get_number_from, in_map_iff in Ge as (p & <- & _). cbn [fst snd] in *. now rewrite En. }
  set (found := map solution_of (filter (is_right P) D)).
  set (chosen := fun C => entries_least acts (map look C)).
  assert (Chosen : forall C, In C (filter (is_right P) D) -> chosen C = least (acting acts) (codes code) (all_allowed allowed) (solution_of C)).
  { intros C HC. apply filter_In in HC as [HC _]. unfold chosen. rewrite (Entries C HC). apply entries_least_is. }
  assert (Reps : representatives (acting acts) (codes code) (all_allowed allowed) found = map solution_of (filter chosen (filter (is_right P) D))).
  { unfold representatives, found. now apply filter_mapped. }
  assert (Chosen_in : forall C, In C (filter chosen (filter (is_right P) D)) -> In C D).
  { intros C HC. apply filter_In in HC as [HC _]. now apply filter_In in HC as [HC _]. }
  assert (Size : forall C, In C D -> entries_size acts (map look C) = size (acting acts) (codes code) (solution_of C)).
  { intros C HC. rewrite (Entries C HC). apply entries_size_is. }
  pose proof (counted_sums (is_right P) chosen (fun C => entries_size acts (map look C))
    (fun C => if weigh then ways P (Search.ids C) else 0) (refuted_by P) D nothing_yet) as Sums. cbv zeta in Sums.
  change (T = fold_left (fun T C => counted (is_right P) chosen (fun C => entries_size acts (map look C))
    (fun C => if weigh then ways P (Search.ids C) else 0) (refuted_by P) C T) D nothing_yet) in ET. rewrite Sums in ET. clear Sums.
  assert (CA : count_all T = total (acting acts) (codes code) (all_allowed allowed) found).
  { rewrite ET. cbn [count_all nothing_yet none_yet]. rewrite Z.add_0_l. unfold total. rewrite Reps, map_map. f_equal. apply map_ext_in. auto. }
  assert (CD : count_distinct T = Z.of_nat (length (representatives (acting acts) (codes code) (all_allowed allowed) found))).
  { rewrite ET. cbn [count_distinct nothing_yet none_yet]. now rewrite Z.add_0_l, Reps, map_length. }
  assert (CL : weigh = true -> count_labelled T = total_of (acting acts) (codes code) (all_allowed allowed) found (ways P)).
  { intros W. rewrite ET, W. cbn [count_labelled nothing_yet none_yet]. rewrite Z.add_0_l. unfold total_of. rewrite Reps, map_map. f_equal. apply map_ext_in.
    intros C HC. apply Chosen_in in HC. rewrite (Size C HC). f_equal. symmetry. apply ways_Permutation, Permutation_set_of.
    apply (once pr). now apply Right. }
  exists t, (codes code), (all_allowed allowed), found. cbv zeta. fold acts.
  assert (Sound : forall S, In S found <-> solution P S /\ all_allowed allowed S = true).
  { intros S. unfold found. rewrite in_map_iff. split.
    - intros (C & <- & HC). apply filter_In in HC as [HC R]. apply andb_true_iff in R as [R1 R2]. rewrite forallb_forall in R1.
      destruct (Right C HC) as (Cv & _ & Ins). split.
      + apply (solution_iff P (its_placements t) (all_placements P t Pr)); [apply set_of_ascending|]. split; [|split].
        * apply cover_Permutation with (Search.ids C); [|assumption]. apply Permutation_sym, Permutation_set_of, (once pr _ Cv).
        * intros p Hp. now apply set_of_In, member_iff, R1.
        * exact R2.
      + apply forallb_forall. intros p Hp. unfold solution_of in Hp. rewrite set_of_In in Hp. rewrite <- Allowed; [now apply Ins|]. now apply (of_options pr _ Cv).
    - intros [HS A]. unfold all_allowed in A. rewrite forallb_forall in A.
      pose proof HS as HS'. apply (solution_iff P (its_placements t) (all_placements P t Pr)) in HS' as (HC & Hf & Hr); [|apply (a_set P S HS)].
      destruct (Enough S HS) as (C & HD & Pe).
      { intros p Hp. rewrite Allowed; [now apply A|]. now apply (of_options pr S HC). }
      assert (E : solution_of C = S).
      { unfold solution_of. rewrite <- (set_of_id S) by apply (a_set P S HS). apply set_of_same.
        intros p. split; apply Permutation_in; [assumption|now apply Permutation_sym]. }
      exists C. split; [assumption|]. apply filter_In. split; [assumption|]. unfold is_right. apply andb_true_iff. split.
      + apply forallb_forall. intros p Hp. apply member_iff. apply Permutation_in with S; [now apply Permutation_sym|now apply Hf].
      + fold (solution_of C). rewrite E. exact Hr. }
  split; [exact Pr|]. split; [exact Fixed|]. split; [exact Gp|]. split; [|split; [|split; [|split; [exact CA|split]]]].
  - split; [|exact Sound]. unfold found. apply NoDup_map_filter. exact Once.
  - intros S HS.
    assert (W : exists x, In x acts /\ forall q, In q (acted (image_of x) S) -> allowed q = true).
    { unfold allowed, allowed_by, stand. destruct (kept h) as [[i ks]|].
      - destruct (kept_enough P t _ i _ S Pr Act Ke HS) as (x & Hx & K). exists x. split; [assumption|].
        intros q Hq. destruct (its i q) eqn:E; [|reflexivity]. cbn [negb orb].
        apply member_iff. now apply K.
      - unfold is_group, is_group_on in Gp. rewrite !andb_true_iff in Gp. destruct Gp as [G _].
        apply existsb_exists in G as (x & Hx & _). eauto. }
    destruct W as (x & Hx & W). exists (acted (image_of x)). split; [unfold acting; now apply in_map with (f := fun x => acted (image_of x))|].
    now apply forallb_forall.
  - intros S S' HS HS' E. apply Nat.eqb_eq, set_of_length in Co.
    assert (In1 : forall p q, In p (its_placements t) -> In q (its_placements t) -> code p = code q -> p = q).
    { clear - Co. intros p q Hp Hq E. revert Co Hp Hq. induction (its_placements t) as [|r l IH]; intros N Hp Hq; [destruct Hp|].
      cbn [map] in N. inversion N as [|? ? Nr N']; subst.
      destruct Hp as [->|Hp], Hq as [->|Hq]; auto; exfalso; apply Nr; [rewrite E|rewrite <- E]; now apply in_map. }
    assert (Known : forall S p, solution P S -> In p S -> In p (its_placements t)).
    { intros U p HU Hp. now apply (all_placements P t Pr), (of_placements P U HU). }
    assert (Half : forall S S', solution P S -> solution P S' -> codes code S = codes code S' -> forall p, In p S -> In p S').
    { clear - In1 Known. intros S S' HS HS' E p Hp. assert (H : In (code p) (codes code S)) by (apply set_of_In; now apply in_map).
      rewrite E in H. apply set_of_In, in_map_iff in H as (q & Eq & Hq). apply In1 in Eq as <-; eauto. }
    apply ascending_unique; [apply (a_set P S HS)|apply (a_set P S' HS')|]. intros p. split; [now apply Half|now apply Half].
  - intros n. unfold count_distinct_if. destruct (all_found P t); [|discriminate]. destruct (complete_b P); [|discriminate].
    cbn [andb]. destruct (_ || _) eqn:U; [|discriminate]. intros [= <-]. rewrite CD. repeat (split; [reflexivity|]).
    apply orb_true_iff in U as [U|U]; [right|left; now apply Z.eqb_eq]. intros x Hx.
    assert (UT : unrefuted T = fold_left (fun l C => not_refuted (refuted_by P) C l) (filter (is_right P) D) (not_seen_to P t)) by now rewrite ET.
    destruct (refuted_by_one (refuted_by P) (filter (is_right P) D) (not_seen_to P t) x Hx) as (C & HC & R).
    { rewrite <- UT. destruct (unrefuted T); [intros []|discriminate]. }
    exists (solution_of C). split.
    + apply (proj1 (Sound (solution_of C))). unfold found. now apply in_map.
    + unfold refuted_by in R. apply negb_true_iff in R. rewrite <- keeps_rules_iff. unfold solution_of, acted.
      rewrite (set_of_same _ (map (image_of x) (Search.ids C))); [unfold acted in R; congruence|].
      intros q. rewrite !in_map_iff. split; intros (p & E & Hp); exists p; (split; [assumption|]); now apply set_of_In.
  - unfold count_labelled_if. rewrite CA. destruct (_ =? 0); [reflexivity|]. unfold weigh in CL.
    destruct (single_copies P); [reflexivity|]. destruct (labels_ok P); [|reflexivity]. now rewrite CL.
Qed.

(** The acts form a group, which counting by orbits requires. *)
Lemma acting_group t : prepared P t -> (forall p, In p (fixed P) -> In p (its_placements t)) ->
  is_group P (its_placements t) (find_acts P t) = true ->
  let acts := acting (find_acts P t) in
  (forall g S, In g acts -> solution P S -> solution P (g S)) /\
  (forall g k, In g acts -> In k acts -> exists z, In z acts /\ forall S, solution P S -> z S = g (k S)) /\
  (forall g, In g acts -> exists k, In k acts /\ forall S, solution P S -> k (g S) = S).
Proof.
  intros Pr Fixed Gp acts. unfold is_group, is_group_on in Gp. rewrite !andb_true_iff, !forallb_forall in Gp. destruct Gp as [_ G3].
  assert (Inj : forall x, In x (find_acts P t) -> exists y, In y (find_acts P t) /\ undone P (its_placements t) x y = true).
  { intros x Hx. specialize (G3 x Hx). apply andb_true_iff in G3 as [G3 _]. apply existsb_exists in G3 as (y & ? & ?). eauto. }
  assert (Known : forall S p, solution P S -> In p S -> In p (its_placements t)).
  { intros S p HS Hp. now apply (all_placements P t Pr), (of_placements P S HS). }
  assert (Act : forall x, In x (find_acts P t) -> forall S, solution P S -> solution P (acted (image_of x) S)).
  { intros x Hx S HS. destruct (Inj x Hx) as (y & _ & U). apply (found_solution P t x S Pr Hx); [|assumption].
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
  split; [|split].
  - intros g S Hg HS. apply in_map_iff in Hg as (x & <- & Hx). now apply Act.
  - intros g k Hg Hk. apply in_map_iff in Hg as (x & <- & Hx), Hk as (y & <- & Hy).
    specialize (G3 x Hx). apply andb_true_iff in G3 as [_ G3]. rewrite forallb_forall in G3. specialize (G3 y Hy).
    apply existsb_exists in G3 as (z & Hz & C). exists (acted (image_of z)). split; [unfold acts, acting; now apply in_map with (f := fun x => acted (image_of x))|].
    intros S HS. rewrite !Twice. apply Comp. intros p Hp.
    apply (composed_image P (its_placements t) (all_placements P t Pr)); [assumption|]. now apply Known with S.
  - intros g Hg. apply in_map_iff in Hg as (x & <- & Hx). destruct (Inj x Hx) as (y & Hy & U).
    exists (acted (image_of y)). split; [unfold acts, acting; now apply in_map with (f := fun x => acted (image_of x))|].
    intros S HS. rewrite !Twice. apply Same; [assumption|]. intros p Hp.
    apply (undone_image P (its_placements t) (all_placements P t Pr)); [assumption|]. now apply Known with S.
Qed.

(** The main theorem: an accepted certificate counts all solutions of the puzzle that it states. *)
Theorem accept_counts_all : all_solutions P (counted_all o).
Proof.
  destruct accepted_facts as (t & key & allowed & found & Pr & Fx & Gp & [N E] & En & Ke & -> & _).
  destruct (acting_group t Pr Fx Gp) as (A & B & C).
  now apply total_counts.
Qed.

(** An accepted certificate also counts the solutions up to the symmetries of the puzzle. *)
Theorem accept_counts_distinct n : counted_distinct o = Some n -> distinct_solutions P n.
Proof.
  intros Cd. pose proof accept_counts_all as Al0.
  destruct accepted_facts as (t & key & allowed & found & Pr & Fx & Gp & [N E] & En & Ke & _ & Di & _).
  destruct (Di n Cd) as (Al & _ & -> & Re). destruct (acting_group t Pr Fx Gp) as (A & B & C).
  destruct (representatives_count _ key allowed _ A B C Ke found N E En) as (l & Nl & L & Q & U & V).
  exists l. split; [assumption|]. split; [assumption|]. split; [assumption|].
  destruct Re as [None|Refuted].
  { (* there is no solution *)
    rewrite None in Al0. destruct Al0 as (k & _ & K0 & K). destruct k; [|discriminate].
    split; intros x; [intros y Hx _ _; apply Q, K in Hx|intros Hx; apply K in Hx]; destruct Hx. }
  assert (Rel : forall S T, solution P S -> (related (acting (find_acts P t)) S T <-> alike P S T)).
  { intros S T HS. rewrite <- (acts_alike P t Pr Fx Al Gp Refuted S T HS). unfold related. split.
    - intros (g & Hg & ->). apply in_map_iff in Hg as (x & <- & Hx). eauto.
    - intros (x & Hx & ->). exists (acted (image_of x)). split; [unfold acting; now apply in_map with (f := fun x => acted (image_of x))|reflexivity]. }
  split.
  - intros x y Hx Hy Al'. apply U; [assumption..|]. apply Rel; auto.
  - intros x Hx. destruct (V x Hx) as (y & Hy & Ry). exists y. split; [assumption|]. now apply Rel.
Qed.

(** An accepted certificate also counts the labelled solutions, if it gives that count. *)
Theorem accept_counts_labelled n : counted_labelled o = Some n -> all_labelled P n.
Proof.
  pose proof accept_counts_all as Al.
  destruct accepted_facts as (t & key & allowed & found & Pr & Fx & Gp & [N E] & En & Ke & _ & _ & ->).
  destruct (acting_group t Pr Fx Gp) as (A & B & C).
  destruct (counted_all o =? 0) eqn:Z0; [|destruct (single_copies P) eqn:S1; [|destruct (labels_ok P) eqn:L1; [|discriminate]]];
    intros [= <-].
  - apply Z.eqb_eq in Z0. rewrite Z0 in Al. now apply labelled_none.
  - now apply labelled_as_all.
  - destruct (everything_spec _ key allowed _ A B C Ke found N E En) as [Ne Ev].
    rewrite (total_of_everything _ key allowed _ A Ke found E).
    + now apply labelled_sum.
    + intros g S Hg HS. apply in_map_iff in Hg as (x & <- & Hx).
      unfold is_group, is_group_on in Gp. rewrite !andb_true_iff, !forallb_forall in Gp. destruct Gp as [_ G3].
      pose proof (find_acts_take P t) as G1.
      specialize (G3 x Hx). apply andb_true_iff in G3 as [G3 _]. apply existsb_exists in G3 as (y & _ & U).
      apply (ways_acted P (its_placements t) (known t) x S (known_placements P t Pr) (all_placements P t Pr) (bodies P t Pr)); auto.
      now apply undone_injective with y.
Qed.

(** Tiles are turned by isometries of the grid. *)
Theorem accept_grid : is_grid P.
Proof.
  unfold accept in accepted. destruct (is_grid_b P) eqn:E; [|discriminate]. now apply is_grid_sound.
Qed.
End Accepted.

(** If solutions are counted up to symmetry, no symmetry of the grid is missing. *)
Theorem accept_all_symmetries {stream} P h (next : stream -> option (positive * stream)) s o n : accept P h next s = Some o ->
  counted_distinct o = Some n -> has_all_symmetries P.
Proof.
  intros A. destruct (accepted_facts P h next s o A) as (t & key & allowed & found & _ & _ & _ & _ & _ & _ & _ & Di & _).
  intros Cd. destruct (Di n Cd) as (_ & C & _). apply complete_sound; [|assumption]. unfold accept in A. destruct (is_grid_b P); [reflexivity|discriminate].
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
