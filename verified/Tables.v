(** * The tables of a search: a row for each placement and a branch for each item

    The tables are built by any quick method and then checked place by place. So the proofs are short, and an error in the construction
    can only cause a certificate to be refused. *)

From Coq Require Import List Bool ZArith Lia Uint63.
From PuzzleSat Require Import Statement Sets Find Cover Covers Trie Tree.
Import ListNotations.
Open Scope Z_scope.

(** Included, and not a name of the functor's application: so the extracted code calls the functions of [Trie] directly. *)
Module Search.
  Include Tree Trie.
End Search.
Definition place := Trie.place.
Definition set := Trie.set.
Definition row := Search.row placement item.
Definition branch := Search.branch placement item.

(** Place number [n] in a tree of depth [depth]: the path to word n / 63, from the root, and a bit. *)
Definition place_number (depth : nat) (n : Z) : place :=
  let w := n / 63 in (map (fun k => Z.testbit w (Z.of_nat k)) (rev (seq 0 depth)), (1 << of_Z (n mod 63))%uint63).
Definition depth_for (n : nat) : nat := S (Nat.log2 (Nat.div n 63)).

Definition set_of_places (l : list place) : set := fold_left (fun s x => Trie.union s (Trie.single x)) l Trie.Empty.

(** An item with the set of the placements that cover it. *)
Record info := { the_item : item; its_spot : place; its_members : set; its_low : Z; its_high : option Z }.
(** A mark with the set of the placements that show it. *)
Definition shown := (mark * set)%type.

Section Making.
Variable P : puzzle.
Variable numbered : list (placement * place).
Variable spot_of : item -> place.
Variable number_of : placement -> positive.

Definition make_info (i : item) : info := {|
  the_item := i;
  its_spot := spot_of i;
  its_members := set_of_places (map snd (filter (fun x => covers_item (fst x) i) numbered));
  its_low := match i with Required _ => 1 | Optional _ => 0 | Tile n => tile_low P n end;
  its_high := match i with Required _ | Optional _ => Some 1 | Tile n => tile_high P n end;
|}.

(** An item that may be covered at most once. *)
Definition single_info (i : info) : bool := match its_high i with Some h => h =? 1 | None => false end.

Variable infos : list info.
Variable shown_on : atom -> list shown.   (* the marks that are shown on a side *)

Definition make_row (x : placement * place) : row :=
  let (p, at_place) := x in
  let mine := filter (fun i => covers_item p (the_item i)) infos in
  let clashing := flat_map (fun m => filter (fun s => marks_clash P m (fst s)) (shown_on (side m))) (shows p) in
  {|
    Search.id := p;
    Search.number := number_of p;
    Search.here := at_place;
    Search.self := Trie.single at_place;
    Search.kill := fold_left Trie.union
      (map snd clashing ++
       map its_members (filter single_info mine)) (Trie.single at_place);
    Search.contents := set_of_places (map its_spot mine);
    Search.singles := set_of_places (map its_spot (filter single_info mine));
    Search.tight := flat_map (fun i => match its_high i with
      | Some h => if h =? 1 then [] else
        [{| Search.m_item := the_item i; Search.m_spot := its_spot i; Search.m_members := its_members i; Search.m_most := h |}]
      | None => []
      end) mine;
  |}.

Definition make_branch (rows : list row) (i : info) : branch := {|
  Search.item := the_item i;
  Search.spot := its_spot i;
  Search.need := its_low i;
  Search.most := its_high i;
  Search.one := (its_low i =? 1) && single_info i;
  Search.choices := fold_left (fun t (r : row) =>
    if Trie.mem (its_spot i) (Search.contents r) && covers_item (Search.id r) (the_item i)
    then Trie.add (fst (Search.here r)) (snd (Search.here r)) r t else t) rows (@Trie.TEmpty row);
|}.

(** ** The requirements on the tables *)

(** A set has only places of placements with the property. *)
Definition only (s : set) (f : placement -> bool) : bool :=
  forallb (fun x => negb (Trie.mem (snd x) s) || f (fst x)) numbered.

(** At the leaf of a placement's place are the placements with their bits; no two have bits in common. *)
Definition apart_ok (leaves : Trie.table placement) : bool :=
  forallb (fun x => let l := Trie.leaf (fst (snd x)) leaves in
    existsb (fun e => (fst e =? snd (snd x))%uint63 && same (snd e) (fst x)) l &&
    forallb (fun e => same (snd e) (fst x) || apart (fst e) (snd (snd x))) l) numbered.

Definition infos_ok : bool := forallb (fun i => only (its_members i) (fun p => covers_item p (the_item i))) infos.
Definition contents_ok (r : row) : bool :=
  forallb (fun i => Bool.eqb (Trie.mem (its_spot i) (Search.contents r)) (covers_item (Search.id r) (the_item i))) infos.
Definition singles_ok (r : row) : bool :=
  forallb (fun i => negb (single_info i) ||
    if Trie.mem (its_spot i) (Search.contents r) then Trie.mem (its_spot i) (Search.singles r) && Trie.inside (its_spot i) (Search.singles r)
    else negb (Trie.mem (its_spot i) (Search.singles r))) infos &&
  existsb (fun i => single_info i && covers_item (Search.id r) (the_item i)) infos.
Definition row_ok (r : row) : bool := contents_ok r && singles_ok r && Trie.inside (Search.here r) (Search.self r).
Definition choices_ok (rows : list row) (b : branch) : bool :=
  forallb (fun r : row => negb (Trie.mem (Search.spot b) (Search.contents r)) ||
    existsb (fun q : row => same (Search.id q) (Search.id r)) (Trie.entries row (Search.here r) (Search.choices b))) rows.
Definition shown_ok (all : list (atom * list shown)) : bool :=
  forallb (fun sl => forallb (fun s => only (snd s) (fun p => member (fst s) (shows p))) (snd sl)) all.

(** ** Then they are right *)

Variable placements : list placement.
Variable place_of : placement -> place.
Hypothesis numbered_is : numbered = map (fun p => (p, place_of p)) placements.
Hypothesis infos_are : infos = map make_info (all_items P).
Let pr := problem_of P placements.

Lemma only_right s f p : only s f = true -> In p placements -> Trie.mem (place_of p) s = true -> f p = true.
Proof.
  unfold only. rewrite forallb_forall, numbered_is. intros H Hp M.
  specialize (H (p, place_of p)). cbn [fst snd] in H. rewrite M in H. apply H. now apply in_map with (f := fun p => (p, place_of p)).
Qed.

Lemma in_numbered p : In p placements -> In (p, place_of p) numbered.
Proof. intros Hp. rewrite numbered_is. now apply in_map with (f := fun p => (p, place_of p)). Qed.

Lemma self_right leaves p q : apart_ok leaves = true -> In p placements -> In q placements ->
  Trie.mem (place_of q) (Trie.single (place_of p)) = true -> q = p.
Proof.
  unfold apart_ok. rewrite forallb_forall. intros A Hp Hq M. apply Trie.mem_single in M as [E M].
  pose proof (A _ (in_numbered p Hp)) as Ap. pose proof (A _ (in_numbered q Hq)) as Aq. cbn [fst snd] in Ap, Aq.
  apply andb_true_iff in Ap as [_ Ap], Aq as [Aq _]. apply existsb_exists in Aq as ([w r] & Hr & Eq). cbn [fst snd] in Eq.
  apply andb_true_iff in Eq as [E1 E2]. apply eqb_spec in E1 as ->. apply same_iff in E2 as ->.
  rewrite E in Hr. rewrite forallb_forall in Ap. specialize (Ap _ Hr). cbn [fst snd] in Ap.
  apply orb_true_iff in Ap as [Ap|Ap]; [now apply same_iff|]. congruence.
Qed.

Lemma info_item i : In i infos -> In (the_item i) (items pr) /\ i = make_info (the_item i).
Proof. rewrite infos_are, in_map_iff. intros (j & <- & Hj). split; [assumption|reflexivity]. Qed.

Lemma info_of i : In i (items pr) -> In (make_info i) infos.
Proof. intros H. rewrite infos_are. now apply in_map. Qed.

Lemma fold_union l : forall s x, Trie.mem x (fold_left Trie.union l s) = true ->
  Trie.mem x s = true \/ exists t, In t l /\ Trie.mem x t = true.
Proof.
  induction l as [|t l IH]; intros s x M; cbn [fold_left] in M; [now left|].
  apply IH in M as [M|(u & Hu & M)].
  - apply Trie.mem_union in M as [M|M]; [now left|]. right. exists t. split; [now left|assumption].
  - right. exists u. split; [now right|assumption].
Qed.

Variable leaves : Trie.table placement.
Variable all_shown : list (atom * list shown).
Hypothesis leaves_ok : apart_ok leaves = true.
Hypothesis members_ok : infos_ok = true.
Hypothesis marks_ok : shown_ok all_shown = true.
Hypothesis shown_on_is : forall s x, In x (shown_on s) -> exists l, In (s, l) all_shown /\ In x l.

Notation good_row := (Search.good_row pr place_of spot_of number_of).
Notation good_branch := (Search.good_branch pr place_of spot_of number_of).

Lemma make_row_good p : In p placements -> row_ok (make_row (p, place_of p)) = true -> good_row (make_row (p, place_of p)).
Proof.
  intros Hp Ok. unfold row_ok in Ok. rewrite !andb_true_iff in Ok. destruct Ok as [[Co Si] Out].
  assert (Mine : forall i, In i (filter (fun i => covers_item p (the_item i)) infos) ->
    In (the_item i) (items pr) /\ has pr p (the_item i) = true /\ its_spot i = spot_of (the_item i) /\
    its_high i = greatest pr (the_item i) /\
    forall q, In q placements -> Trie.mem (place_of q) (its_members i) = true -> has pr q (the_item i) = true).
  { intros i Hi. apply filter_In in Hi as [Hi Hc]. destruct (info_item i Hi) as [It Ei]. split; [assumption|].
    split; [exact Hc|]. split; [now rewrite Ei|]. split; [now rewrite Ei|]. intros q Hq M.
    unfold infos_ok in members_ok. rewrite forallb_forall in members_ok.
    exact (only_right _ _ q (members_ok i Hi) Hq M). }
  assert (Single : forall i, In i (items pr) -> (greatest pr i = Some 1 <-> single_info (make_info i) = true)).
  { intros i Hi. unfold single_info. change (its_high (make_info i)) with (greatest pr i). destruct (greatest pr i) as [k|]; [|split; discriminate].
    rewrite Z.eqb_eq. split; [intros E; now injection E|intros E; now rewrite E]. }
  unfold singles_ok in Si. rewrite andb_true_iff, forallb_forall, existsb_exists in Si. destruct Si as [Si So].
  split; cbn [make_row Search.id Search.number Search.here Search.self Search.kill Search.contents Search.singles Search.tight].
  - assumption.
  - reflexivity.
  - reflexivity.
  - exact Out.
  - intros q Hq M. now apply (self_right leaves).
  - intros q Hq M. destruct (equal_dec q p) as [->|D]; [now left|right].
    apply fold_union in M as [M|(t & Ht & M)].
    { exfalso. apply D. now apply (self_right leaves). }
    apply in_app_iff in Ht as [Ht|Ht]; apply in_map_iff in Ht as (x & <- & Hx).
    + apply in_flat_map in Hx as (m & Hm & Hx). apply filter_In in Hx as [Hx Cl].
      apply clash_incompatible; [congruence|]. cbn. apply placements_clash_iff. exists m, (fst x).
      split; [assumption|]. split; [|assumption]. destruct (shown_on_is _ _ Hx) as (l & Hl & Hxl).
      unfold shown_ok in marks_ok. rewrite forallb_forall in marks_ok. specialize (marks_ok _ Hl).
      rewrite forallb_forall in marks_ok. specialize (marks_ok _ Hxl). apply member_iff.
      exact (only_right _ _ q marks_ok Hq M).
    + apply filter_In in Hx as [Hx G]. destruct (Mine x Hx) as (It & Hc & _ & Eh & Me).
      apply full_incompatible with (the_item x); try assumption; [|congruence|now apply Me].
      rewrite <- Eh. unfold single_info in G. destruct (its_high x) as [h|]; [|discriminate]. apply Z.eqb_eq in G. now rewrite G.
  - intros i Hi. pose proof (info_of i Hi) as Hin. unfold contents_ok in Co. rewrite forallb_forall in Co.
    specialize (Co _ Hin). apply eqb_prop in Co. exact Co.
  - intros i Hi G. apply (Single i Hi) in G. specialize (Si _ (info_of i Hi)). rewrite G in Si. cbn [negb orb] in Si.
    pose proof Co as Ci. unfold contents_ok in Ci. rewrite forallb_forall in Ci. specialize (Ci _ (info_of i Hi)). apply eqb_prop in Ci.
    rewrite Ci in Si. change (covers_item (Search.id (make_row (p, place_of p))) (the_item (make_info i))) with (has pr p i) in Si.
    destruct (has pr p i); [apply andb_true_iff in Si as [? ?]; split; auto|]. apply negb_true_iff in Si. split; [exact Si|discriminate].
  - destruct So as (i & Hi & E). apply andb_true_iff in E as [G H]. destruct (info_item i Hi) as [It Ei]. exists (the_item i).
    split; [assumption|]. split; [|exact H]. apply (Single _ It). now rewrite <- Ei.
  - intros m Hm. apply in_flat_map in Hm as (i & Hi & Hm). destruct (Mine i Hi) as (It & Hc & Es & Eh & Me).
    destruct (its_high i) as [h|]; [|destruct Hm]. destruct (h =? 1); [destruct Hm|]. destruct Hm as [<-|[]].
    split; cbn; auto.
Qed.

Lemma make_branch_good rows i : In i infos -> (forall r, In r rows -> good_row r) -> NoDup (Search.ids rows) ->
  (forall p, In p placements -> In p (Search.ids rows)) -> choices_ok rows (make_branch rows i) = true -> good_branch (make_branch rows i).
Proof.
  intros Hi G N Every C. destruct (info_item i Hi) as [It Ei].
  (* Every entry of the table is a row that covers the item, at its place, once. *)
  set (step := fun t (r : row) => if Trie.mem (its_spot i) (Search.contents r) && covers_item (Search.id r) (the_item i) then Trie.add (fst (Search.here r)) (snd (Search.here r)) r t else t).
  assert (Rows : forall rows (t : Trie.table row), (forall r, In r (Trie.all row (fold_left step rows t)) ->
    (In r rows /\ covers_item (Search.id r) (the_item i) = true) \/ In r (Trie.all row t))).
  { clear. induction rows as [|r rows IH]; intros t q Hq; cbn [fold_left] in Hq; [now right|].
    apply IH in Hq as [[H K]|H]; [left; split; [now right|assumption]|]. unfold step in H at 1.
    destruct (_ && _) eqn:E in H; [|now right]. apply andb_true_iff in E as [_ E].
    apply Trie.add_all in H as [->|H]; [left; split; [now left|assumption]|now right]. }
  assert (Places : forall rows (t : Trie.table row) x r, In r (Trie.entries row x (fold_left step rows t)) ->
    (In r rows /\ x = Search.here r) \/ In r (Trie.entries row x t)).
  { clear. induction rows as [|r rows IH]; intros t x q Hq; cbn [fold_left] in Hq; [now right|].
    apply IH in Hq as [[H K]|H]; [left; split; [now right|assumption]|]. unfold step in H at 1.
    destruct (_ && _); [|now right]. apply Trie.add_entries in H as [[-> ->]|H]; [left|now right].
    split; [now left|symmetry; apply surjective_pairing]. }
  assert (Once : forall rows (t : Trie.table row), NoDup (Search.ids rows ++ map (fun r : row => Search.id r) (Trie.all row t)) ->
    NoDup (map (fun r : row => Search.id r) (Trie.all row (fold_left step rows t)))).
  { clear. induction rows as [|r rows IH]; intros t N; cbn [fold_left]; [exact N|]. cbn [Search.ids map app] in N.
    fold (Search.ids rows) in N. inversion N as [|? ? Nr N']; subst. apply IH. unfold step.
    destruct (_ && _); [|exact N']. destruct (NoDup_apart _ _ N') as (A & B & D). rewrite in_app_iff in Nr.
    apply NoDup_app_both; [exact A|apply Trie.add_once; constructor; tauto|]. intros x Hx H.
    apply in_map_iff in H as (q & <- & Hq). apply Trie.add_all in Hq as [->|Hq]; [tauto|]. apply (D (Search.id q) Hx). now apply in_map. }
  split; cbn [make_branch Search.item Search.spot Search.need Search.most Search.one Search.choices].
  - assumption.
  - now rewrite Ei.
  - now rewrite Ei.
  - now rewrite Ei.
  - intros p Hp H. apply Every, in_map_iff in Hp as (q & <- & Hq). pose proof (G q Hq) as Gq.
    unfold choices_ok in C. rewrite forallb_forall in C. specialize (C q Hq). cbn [make_branch Search.spot Search.choices] in C.
    assert (M : Trie.mem (its_spot i) (Search.contents q) = true).
    { replace (its_spot i) with (spot_of (the_item i)) by (now rewrite Ei). now rewrite (Search.row_contents _ _ _ _ _ Gq _ It). }
    rewrite M in C. cbn [negb orb] in C.
    apply existsb_exists in C as (r & Hr & E). apply same_iff in E. exists r. split; [assumption|].
    rewrite <- (Search.row_here _ _ _ _ _ Gq). exact Hr.
  - intros r Hr. apply Rows in Hr as [[Hr _]|[]]. auto.
  - unfold single_info. intros E. apply andb_true_iff in E as [E1 E2]. split; [now apply Z.eqb_eq|].
    destruct (its_high i) as [k|]; [|discriminate]. apply Z.eqb_eq in E2. now rewrite E2.
  - intros x r Hr. apply Places in Hr as [[Hr ->]|Hr].
    + apply (Search.row_here _ _ _ _ _ (G r Hr)).
    + unfold Trie.entries in Hr. destruct (fst x); destruct Hr.
  - intros r Hr. apply Rows in Hr as [[_ Hr]|[]]. exact Hr.
  - apply Once. cbn [Trie.all map]. now rewrite app_nil_r.
Qed.
End Making.
