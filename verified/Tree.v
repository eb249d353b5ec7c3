(** * The search tree of a certificate, replayed

    The state at a node: the set [P] of the options that are still possible, the set [R] of the single items (items that may be covered
    at most once) that are not covered yet, and the list [C] of the rows that were chosen. The certificate names an item. If fewer of
    its options are possible than it still needs, the subtree is empty. Otherwise each of them is chosen in turn, without those chosen
    before it; and if the item needs no more, the case follows in which none is chosen. The certificate is any function [next] that yields
    the next item; the proofs assume nothing about it.

    Solutions are not stored: [leaf] gets each one when it is found, with its result for the earlier ones. *)

From Coq Require Import List Bool ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets Cover Trie.
Import ListNotations.
Open Scope Z_scope.

Module Tree (S : SETS).

(** ** Constants of the search: a row for each option and a branch for each item *)

(** An item that may be covered several times: once it is full, its options are no longer possible. *)
Record multi (I : Type) := { m_item : I; m_spot : S.place; m_members : S.set; m_most : Z }.
Arguments m_item {I}. Arguments m_spot {I}. Arguments m_members {I}. Arguments m_most {I}.

Record row (O I : Type) := {
  id : O;
  number : positive;
  here : S.place;            (* the place of the option in sets of options *)
  self : S.set;              (* the option alone *)
  kill : S.set;              (* the options that are impossible once the option is chosen *)
  contents : S.set;          (* the places of its items *)
  singles : S.set;           (* its items that may be covered at most once *)
  tight : list (multi I);
}.
Arguments id {O I}. Arguments number {O I}. Arguments here {O I}. Arguments self {O I}. Arguments kill {O I}.
Arguments contents {O I}. Arguments singles {O I}. Arguments tight {O I}.

(** [one]: the item must be covered once, and may be covered once. *)
Record branch (O I : Type) := { item : I; spot : S.place; need : Z; most : option Z; one : bool; choices : S.table (row O I) }.
Arguments item {O I}. Arguments spot {O I}. Arguments need {O I}. Arguments most {O I}. Arguments one {O I}. Arguments choices {O I}.

Section Tree.
Context {O I : Type} {OO : Order O} {LO : Lawful O}.
Variable clash : O -> O -> bool.
(** The places of all single items, and of the single items that need not be covered; the branches of the other items. *)
Variables (full spare : S.set) (others : list (branch O I)).
Context {stream : Type}.
Variable next : stream -> option (branch O I * stream).

Definition row' := row O I.
Definition ids (C : list row') : list O := map id C.
Context {A : Type}.
Variable leaf : list row' -> A -> A.

(** ** The checker *)

(** The number of rows that cover the item at a place. *)
Fixpoint count (x : S.place) (C : list row') : Z :=
  match C with [] => 0 | r :: C => if S.mem x (contents r) then Z.succ (count x C) else count x C end.

(** The options that are possible after a row was chosen. *)
Definition after (r : row') (P : S.set) (C : list row') : S.set :=
  match tight r with
  | [] => S.diff P (kill r)
  | ms => fold_left (fun P m => if m_most m <=? count (m_spot m) (r :: C) then S.diff P (m_members m) else P) ms (S.diff P (kill r))
  end.

(** The single items that are not covered; None if one is covered twice. *)
Fixpoint peel (C : list row') : option S.set :=
  match C with
  | [] => Some full
  | r :: C => match peel C with
    | None => None
    | Some R => if S.subset (singles r) R then Some (S.diff R (singles r)) else None
    end
  end.

Definition is_solution (C : list row') : bool :=
  match peel C with
  | None => false
  | Some R =>
    S.is_empty (S.diff R spare) &&
    forallb (fun b => (need b <=? count (spot b) C) && within_b (count (spot b) C) (most b)) others &&
    forallb (fun o => forallb (fun p => negb (clash o p) || same o p) (ids C)) (ids C)
  end.

Definition walk := S.set -> S.set -> list row' -> stream -> A -> option (stream * A).

(** The options of an item that must be covered once: each solution has exactly one of them. *)
Fixpoint ones (go : walk) (rs : list row') (P R : S.set) (C : list row') (s : stream) (F : A) : option (stream * A) :=
  match rs with
  | [] => Some (s, F)
  | r :: rs =>
    match go (after r P C) (S.diff R (singles r)) (r :: C) s F with
    | None => None
    | Some (s, F) => ones go rs P R C s F
    end
  end.

(** The options of any item. *)
Fixpoint each (go : walk) (finished : bool) (rs : list row') (P R : S.set) (C : list row') (s : stream) (F : A)
    : option (stream * A) :=
  match rs with
  | [] => if finished then Some (s, F) else go P R C s F
  | r :: rs =>
    match go (after r P C) (S.diff R (singles r)) (r :: C) s F with
    | None => None
    | Some (s, F) => each go finished rs (S.diff P (self r)) R C s F
    end
  end.

(** [fuel] bounds the depth of the tree. It must exceed the number of options. *)
Fixpoint node (fuel : nat) (P R : S.set) (C : list row') (s : stream) (F : A) : option (stream * A) :=
  match fuel with
  | 0%nat => None
  | Datatypes.S fuel =>
    if S.is_empty P && is_solution C then Some (s, leaf C F)
    else match next s with
    | None => None
    | Some (b, s) =>
      if one b then
        if S.mem (spot b) R then ones (node fuel) (S.pick _ (choices b) P) P R C s F else None
      else
        let rs := S.pick _ (choices b) P in
        let n := need b - count (spot b) C in
        if Z.of_nat (length rs) <? n then Some (s, F)
        else match rs with [] => None | _ => each (node fuel) (0 <? n) rs P R C s F end
    end
  end.

(** Removals: a row and the branch of an item of which the row would leave too few options. *)
Fixpoint remove (rs : list (row' * branch O I)) (P : S.set) : option S.set :=
  match rs with
  | [] => Some P
  | (r, b) :: rs =>
    if negb (S.mem (spot b) (contents r)) && (Z.of_nat (length (S.pick _ (choices b) (S.diff P (kill r)))) <? need b)
    then remove rs (S.diff P (self r))
    else None
  end.

(** The options that are part of every solution are chosen at the start; None if they cannot be. *)
Fixpoint start (rs : list row') (P : S.set) (C : list row') : option (S.set * list row') :=
  match rs with
  | [] => Some (P, C)
  | r :: rs => if S.mem (here r) P then start rs (after r P C) (r :: C) else None
  end.

(** The single items that rows leave uncovered. *)
Definition uncovered (C : list row') : S.set := fold_right (fun r R => S.diff R (singles r)) full C.

Definition search (fuel : nat) (allowed : S.set) (forced : list row') (removals : list (row' * branch O I)) (s : stream) (F : A)
    : option (stream * A) :=
  match remove removals allowed with
  | None => None
  | Some P => match start forced P [] with
    | None => Some (s, F)
    | Some (P, C) => node fuel P (uncovered C) C s F
    end
  end.

(** ** Soundness: the search misses no cover and finds none twice *)

Variable pr : problem O I.
Variable place_of : O -> S.place.
Variable spot_of : I -> S.place.
Variable number_of : O -> positive.
Variable branches : list (branch O I).
Hypothesis clash_is : clash = Cover.clash pr.

Record good_multi (m : multi I) : Prop := {
  multi_item : In (m_item m) (items pr);
  multi_spot : m_spot m = spot_of (m_item m);
  multi_most : greatest pr (m_item m) = Some (m_most m);
  multi_members : forall p, In p (options pr) -> S.mem (place_of p) (m_members m) = true -> has pr p (m_item m) = true;
}.

Record good_row (r : row') : Prop := {
  row_option : In (id r) (options pr);
  row_here : here r = place_of (id r);
  row_number : number r = number_of (id r);
  row_out : S.inside (place_of (id r)) (self r) = true;
  row_self : forall p, In p (options pr) -> S.mem (place_of p) (self r) = true -> p = id r;
  row_kill : forall p, In p (options pr) -> S.mem (place_of p) (kill r) = true -> p = id r \/ incompatible pr (id r) p;
  row_contents : forall i, In i (items pr) -> S.mem (spot_of i) (contents r) = has pr (id r) i;
  row_singles : forall i, In i (items pr) -> greatest pr i = Some 1 -> S.mem (spot_of i) (singles r) = has pr (id r) i /\
    (has pr (id r) i = true -> S.inside (spot_of i) (singles r) = true);
  row_some : exists i, In i (items pr) /\ greatest pr i = Some 1 /\ has pr (id r) i = true;
  row_tight : forall m, In m (tight r) -> good_multi m;
}.

Record good_branch (b : branch O I) : Prop := {
  branch_item : In (item b) (items pr);
  branch_spot : spot b = spot_of (item b);
  branch_need : need b = fewest pr (item b);
  branch_most : most b = greatest pr (item b);
  branch_choices : forall o, In o (options pr) -> has pr o (item b) = true ->
    exists r, id r = o /\ In r (S.entries _ (place_of o) (choices b));
  branch_rows : forall r, In r (S.all _ (choices b)) -> good_row r;
  branch_one : one b = true -> need b = 1 /\ most b = Some 1;
  branch_places : forall x r, In r (S.entries _ x (choices b)) -> x = place_of (id r);
  branch_has : forall r, In r (S.all _ (choices b)) -> has pr (id r) (item b) = true;
  branch_once : NoDup (ids (S.all _ (choices b)));
}.

Hypothesis next_good : forall s b s', next s = Some (b, s') -> good_branch b.
Hypothesis branches_good : forall b, In b branches -> good_branch b.
Hypothesis branches_all : forall i, In i (items pr) -> exists b, In b branches /\ item b = i.

(** True if an item is single, and [full] and [spare] state it; all other items are in [others]. *)
Definition sorted_out (b : branch O I) : bool :=
  match most b with Some h => h =? 1 | None => false end && S.mem (spot b) full &&
  ((need b <=? 0) || ((need b =? 1) && negb (S.mem (spot b) spare))).
Hypothesis others_are : forall b, In b branches -> In b others \/ sorted_out b = true.

(** The covers that a node has to find: they have all chosen options, and their other options are possible. *)
Record below (P : S.set) (C : list row') (T : list O) : Prop := {
  below_cover : cover pr T;
  below_chosen : incl (ids C) T;
  below_possible : forall o, In o T -> In o (ids C) \/ S.mem (place_of o) P = true;
}.

Definition is_found (D : list (list row')) (T : list O) : Prop := exists c, In c D /\ Permutation (ids c) T.

Lemma count_uses C i : Forall good_row C -> In i (items pr) -> count (spot_of i) C = uses pr i (ids C).
Proof.
  intros G Hi. induction G as [|r C Gr G IH]; [reflexivity|]. cbn [count ids map]. fold (ids C).
  rewrite uses_cons, (row_contents r Gr i Hi), IH. destruct (has pr (id r) i); lia.
Qed.

(** An option that is removed when [r] is chosen is in no cover that contains [r] and all options chosen before. *)
Lemma after_below r P C T : good_row r -> Forall good_row C -> NoDup (ids C) -> ~ In (id r) (ids C) ->
  In (id r) T -> below P C T -> below (after r P C) (r :: C) T.
Proof.
  intros Gr G N Hr HT [HC Ch Po]. split; [assumption| |].
  { intros o [<-|Ho]; auto. }
  replace (after r P C) with (fold_left (fun P m => if m_most m <=? count (m_spot m) (r :: C) then S.diff P (m_members m) else P)
    (tight r) (S.diff P (kill r))) by (unfold after; now destruct (tight r)).
  assert (E : forall o, In o T -> In o (ids (r :: C)) \/ S.mem (place_of o) (S.diff P (kill r)) = true).
  { intros o Ho. destruct (Po o Ho) as [|M]; [left; now right|].
    destruct (S.mem (place_of o) (kill r)) eqn:K; [|right; now apply S.mem_diff].
    destruct (row_kill r Gr o (of_options pr T HC o Ho) K) as [->|X]; [left; now left|].
    destruct (X T HC HT Ho). }
  revert E. generalize (S.diff P (kill r)) as Q. pose proof (row_tight r Gr) as Gt.
  induction (tight r) as [|m ms IH]; intros Q E; [exact E|]. cbn [fold_left]. apply IH.
  { intros n Hn. apply Gt. now right. }
  destruct (Gt m (or_introl eq_refl)) as [Mi Ms Mm Mp]. clear IH.
  destruct (m_most m <=? count (m_spot m) (r :: C)) eqn:L; [|exact E].
  intros o Ho. destruct (E o Ho) as [|M]; auto.
  destruct (S.mem (place_of o) (m_members m)) eqn:K; [|right; now apply S.mem_diff].
  specialize (Mp o (of_options pr T HC o Ho) K).
  destruct (in_dec equal_dec o (ids (r :: C))) as [|Out]; [now left|]. exfalso.
  assert (U : uses pr (m_item m) (o :: ids (r :: C)) <= uses pr (m_item m) T).
  { apply uses_incl.
    - constructor; [assumption|]. now constructor.
    - intros q [<-|[<-|Hq]] _; auto. }
  rewrite uses_cons, Mp, <- count_uses, <- Ms in U by (try constructor; assumption).
  apply Z.leb_le in L. destruct (as_often pr T HC _ Mi) as [_ W]. rewrite Mm in W. cbn in W. lia.
Qed.

(** Nothing becomes possible again. *)
Lemma after_subset r P C x : S.mem x (after r P C) = true -> S.mem x P = true.
Proof.
  replace (after r P C) with (fold_left (fun P m => if m_most m <=? count (m_spot m) (r :: C) then S.diff P (m_members m) else P)
    (tight r) (S.diff P (kill r))) by (unfold after; now destruct (tight r)).
  intros M. assert (G : S.mem x (S.diff P (kill r)) = true); [|now apply S.mem_subset in G].
  revert M. generalize (S.diff P (kill r)) as Q. induction (tight r) as [|m ms IH]; intros Q M; [exact M|]. cbn [fold_left] in M.
  apply IH in M. destruct (_ <=? _); [now apply S.mem_subset in M|assumption].
Qed.

(** A single item is uncovered only if no row has it; and if no row has it, it is uncovered. *)
Lemma uncovered_none C i : Forall good_row C -> In i (items pr) -> greatest pr i = Some 1 ->
  S.mem (spot_of i) (uncovered C) = true -> uses pr i (ids C) = 0.
Proof.
  intros G Hi Gi. induction G as [|r C Gr G IH]; intros M; [reflexivity|]. cbn [uncovered fold_right ids map] in *. fold (ids C).
  rewrite uses_cons. destruct (row_singles r Gr i Hi Gi) as [_ In1]. destruct (has pr (id r) i) eqn:H.
  - fold (uncovered C) in M. rewrite S.mem_inside in M by now apply In1. discriminate.
  - rewrite IH; [reflexivity|]. now apply S.mem_subset in M.
Qed.

Lemma none_uncovered C i : Forall good_row C -> In i (items pr) -> greatest pr i = Some 1 -> S.mem (spot_of i) full = true ->
  uses pr i (ids C) = 0 -> S.mem (spot_of i) (uncovered C) = true.
Proof.
  intros G Hi Gi Fu. induction G as [|r C Gr G IH]; intros U; [exact Fu|]. cbn [uncovered fold_right ids map] in *. fold (ids C) in U.
  rewrite uses_cons in U. destruct (row_singles r Gr i Hi Gi) as [E _].
  assert (0 <= uses pr i (ids C)) by (unfold uses; lia). destruct (has pr (id r) i); [lia|].
  apply S.mem_diff; [now apply IH|assumption].
Qed.

(** So if [peel] succeeds, no row occurs twice and no single item is covered twice. *)
Lemma peel_spec C : Forall good_row C -> forall R, peel C = Some R -> R = uncovered C /\ NoDup (ids C) /\
  forall i, In i (items pr) -> greatest pr i = Some 1 -> uses pr i (ids C) <= 1.
Proof.
  induction 1 as [|r C Gr G IH]; intros R E; cbn [peel] in E.
  - injection E as <-. split; [reflexivity|]. split; [constructor|]. intros i _ _. unfold uses. cbn. lia.
  - destruct (peel C) as [Q|]; [|discriminate]. destruct (S.subset (singles r) Q) eqn:Su; [|discriminate]. injection E as <-.
    destruct (IH Q eq_refl) as (-> & N & U). clear IH.
    assert (None' : forall i, In i (items pr) -> greatest pr i = Some 1 -> has pr (id r) i = true -> uses pr i (ids C) = 0).
    { intros i Hi Gi H. apply uncovered_none; try assumption. apply S.subset_mem with (singles r); [assumption|].
      now rewrite (proj1 (row_singles r Gr i Hi Gi)). }
    split; [reflexivity|]. split.
    + constructor; [|assumption]. intros H. destruct (row_some r Gr) as (i & Hi & Gi & Hh). pose proof (None' i Hi Gi Hh) as Z.
      assert (L : uses pr i [id r] <= uses pr i (ids C)).
      { apply uses_incl; [repeat constructor; auto|]. intros o [<-|[]] _. assumption. }
      unfold uses at 1 in L. cbn in L. rewrite Hh in L. cbn in L. lia.
    + intros i Hi Gi. cbn [ids map]. fold (ids C). rewrite uses_cons. destruct (has pr (id r) i) eqn:Hh; [|now apply U].
      rewrite None' by assumption. lia.
Qed.

Lemma is_solution_sound C : Forall good_row C -> is_solution C = true -> cover pr (ids C).
Proof.
  intros G. unfold is_solution. destruct (peel C) as [R|] eqn:Pe; [|discriminate].
  destruct (peel_spec C G R Pe) as (-> & N & U). rewrite !andb_true_iff, !forallb_forall. intros [[Em A'] X]. split.
  - assumption.
  - intros o Ho. apply in_map_iff in Ho as (r & <- & Hr). rewrite Forall_forall in G. now apply row_option, G.
  - intros i Hi. destruct (branches_all i Hi) as (b & Hb & <-). destruct (branches_good b Hb) as [_ Sp Ne Mo _ _ _ _ _ _].
    destruct (others_are b Hb) as [Ot|So].
    + specialize (A' b Ot). apply andb_true_iff in A' as [L W].
      rewrite Sp, count_uses in L, W by assumption. rewrite <- Ne, <- Mo. split; [now apply Z.leb_le|].
      unfold within_b in W. destruct (most b); cbn; [now apply Z.leb_le|trivial].
    + unfold sorted_out in So. rewrite !andb_true_iff, orb_true_iff, andb_true_iff, negb_true_iff, Z.leb_le, Z.eqb_eq in So.
      destruct So as [[M Fu] Nd]. assert (Gi : greatest pr (item b) = Some 1).
      { rewrite <- Mo. destruct (most b) as [h|]; [|discriminate]. apply Z.eqb_eq in M. now rewrite M. }
      rewrite Gi, <- Ne. cbn [within]. split; [|now apply U]. assert (0 <= uses pr (item b) (ids C)) by (unfold uses; lia).
      destruct Nd as [|[N1 Sp1]]; [lia|]. destruct (Z.eq_dec (uses pr (item b) (ids C)) 0) as [Z0|]; [|lia]. exfalso.
      rewrite Sp in Fu, Sp1. pose proof (none_uncovered C _ G Hi Gi Fu Z0) as M'.
      pose proof (S.mem_diff _ _ _ M' Sp1) as M2. rewrite S.mem_empty in M2 by assumption. discriminate.
  - intros o p Ho Hp D. specialize (X o Ho). rewrite forallb_forall in X. specialize (X p Hp).
    apply orb_true_iff in X as [E|E]; [|now apply same_iff in E]. rewrite <- clash_is. now apply negb_true_iff.
Qed.

(** The relation of [D] to a state: its members are covers that extend the state, without repetitions. *)
Record from (P : S.set) (C : list row') (D : list (list row')) : Prop := {
  from_covers : forall c, In c D -> cover pr (ids c) /\ Forall good_row c;
  from_chosen : forall c, In c D -> exists E, c = E ++ C;
  from_possible : forall c o, In c D -> In o (ids c) -> In o (ids C) \/ S.mem (place_of o) P = true;
  from_once : NoDup (map (fun c => set_of (ids c)) D);
}.

(** The invariant of a continuation: it gives solutions below the state to [leaf] one after the other, and all covers below the state
    are among them. *)
Definition gives (D : list (list row')) (F : A) : A := fold_left (fun F c => leaf c F) D F.
Definition sound (go : walk) : Prop := forall P C s F s' F', go P (uncovered C) C s F = Some (s', F') -> Forall good_row C ->
  exists D, F' = gives D F /\ from P C D /\ (NoDup (ids C) -> forall T, below P C T -> is_found D T).

Lemma gives_app D1 D2 F : gives (D1 ++ D2) F = gives D2 (gives D1 F).
Proof. apply fold_left_app. Qed.

Lemma is_found_app D1 D2 T : is_found D1 T \/ is_found D2 T -> is_found (D1 ++ D2) T.
Proof. intros [(c & H & E)|(c & H & E)]; exists c; rewrite in_app_iff; auto. Qed.

Lemma from_none P C : from P C [].
Proof. split; cbn; try tauto; try constructor. Qed.

(** Lists of solutions with a row and without it can be joined without repetitions. *)
Lemma from_app P C D1 D2 (r : row') : from P C D1 -> from P C D2 -> (forall c, In c D1 -> In (id r) (ids c)) ->
  (forall c d, In c D1 -> In d D2 -> ~ In (id r) (ids d)) -> from P C (D1 ++ D2).
Proof.
  intros [A1 B1 C1 O1] [A2 B2 C2 O2] H1 H2. split.
  - intros c Hc. apply in_app_iff in Hc as [|]; auto.
  - intros c Hc. apply in_app_iff in Hc as [|]; auto.
  - intros c o Hc. apply in_app_iff in Hc as [|]; eauto.
  - rewrite map_app. apply NoDup_app_both; [assumption..|]. intros x Hx Hy. apply in_map_iff in Hx as (c & <- & Hc), Hy as (d & E & Hd).
    apply (H2 c d Hc Hd). apply set_of_In. rewrite E. apply set_of_In. now apply H1.
Qed.

(** The solutions that are found after a row was chosen. *)
Lemma from_row (r : row') P C D : S.mem (place_of (id r)) P = true -> from (after r P C) (r :: C) D ->
  from P C D /\ forall c, In c D -> In (id r) (ids c) /\ ~ In (id r) (ids C).
Proof.
  intros M [A1 B1 C1 O1]. split; [split|]; auto.
  - intros c Hc. destruct (B1 c Hc) as (E & ->). exists (E ++ [r]). now rewrite <- app_assoc.
  - intros c o Hc Ho. destruct (C1 c o Hc Ho) as [[<-|]|M']; auto. right. now apply after_subset in M'.
  - intros c Hc. destruct (B1 c Hc) as (E & ->). destruct (A1 _ Hc) as [[N _ _ _] _]. unfold ids in *. rewrite map_app in *.
    apply NoDup_behind in N. inversion N; subst. split; [apply in_app_iff; right; now left|assumption].
Qed.

(** Picked rows. *)
Lemma pick_good b P : good_branch b -> Forall good_row (S.pick _ (choices b) P).
Proof. intros Gb. apply Forall_forall. intros r Hr. apply (branch_rows b Gb). now apply S.pick_all in Hr. Qed.

Lemma pick_possible b P (r : row') : good_branch b -> In r (S.pick _ (choices b) P) ->
  S.mem (place_of (id r)) P = true /\ has pr (id r) (item b) = true.
Proof.
  intros Gb H. split; [|apply (branch_has b Gb); now apply S.pick_all in H].
  apply S.pick_from in H as (x & Hx & M). now rewrite <- (branch_places b Gb x r Hx).
Qed.

Lemma pick_ids b P : good_branch b -> NoDup (ids (S.pick _ (choices b) P)).
Proof. intros Gb. apply S.pick_once. apply (branch_once b Gb). Qed.

(** The options of an item that must be covered once, and is not covered yet. *)
Lemma ones_sound go b : sound go -> good_branch b -> one b = true -> forall P C, Forall good_row C -> forall rs s F s' F',
  ones go rs P (uncovered C) C s F = Some (s', F') -> Forall good_row rs -> NoDup (ids rs) ->
  (forall r, In r rs -> S.mem (place_of (id r)) P = true /\ has pr (id r) (item b) = true) ->
  exists D, F' = gives D F /\ from P C D /\ (forall c, In c D -> exists r, In r rs /\ In (id r) (ids c)) /\
  (NoDup (ids C) -> forall T, below P C T -> (exists r, In r rs /\ In (id r) T /\ ~ In (id r) (ids C)) -> is_found D T).
Proof.
  intros Go Gb O1 P C G. induction rs as [|r rs IH]; intros s F s' F' E Gr N H; cbn [ones] in E.
  { injection E as <- <-. exists []. split; [reflexivity|]. split; [apply from_none|]. split; [intros c []|]. intros _ T _ (r & [] & _). }
  destruct (go (after r P C) _ (r :: C) s F) as [[s1 F1]|] eqn:E1; [|discriminate].
  inversion Gr as [|? ? Gr1 Gr2]; subst. inversion N as [|? ? Nr N']; subst.
  destruct (Go (after r P C) (r :: C) _ _ _ _ E1) as (D1 & -> & Fr1 & H1); [now constructor|].
  destruct (from_row r P C D1) as [Fr1' Has1]; [now apply H; left|assumption|].
  destruct (IH _ _ _ _ E Gr2 N') as (D2 & -> & Fr2 & Has2 & H2). { intros q Hq. apply H. now right. }
  exists (D1 ++ D2). split; [now rewrite gives_app|]. split; [|split].
  - apply from_app with r; [assumption..|now apply Has1|]. intros c d Hc Hd Hr. destruct (Has2 d Hd) as (q & Hq & Hd').
    assert (D : id r <> id q) by (intros X; apply Nr; rewrite X; now apply in_map).
    destruct (branch_one b Gb O1) as [_ M]. rewrite (branch_most b Gb) in M.
    apply (full_incompatible pr (item b) (id r) (id q) (branch_item b Gb) M D) with (ids d); try assumption.
    + apply H. now left.
    + apply H. now right.
    + now apply (from_covers _ _ _ Fr2).
  - intros c Hc. apply in_app_iff in Hc as [Hc|Hc]; [exists r; split; [now left|now apply Has1]|].
    destruct (Has2 c Hc) as (q & Hq & ?). exists q. split; [now right|assumption].
  - intros Nc T B (q & [<-|Hq] & HT & Out); apply is_found_app.
    + left. apply H1; [cbn; now constructor|]. now apply after_below.
    + right. apply H2; eauto.
Qed.

(** The options of any item: [rs] are those that are still to be chosen. *)
Lemma each_sound go b n : sound go -> good_branch b -> forall C, Forall good_row C -> n = need b - count (spot b) C ->
  forall rs P s F s' F',
  each go (0 <? n) rs P (uncovered C) C s F = Some (s', F') -> Forall good_row rs -> NoDup (ids rs) ->
  (forall r, In r rs -> S.mem (place_of (id r)) P = true) ->
  exists D, F' = gives D F /\ from P C D /\
  (NoDup (ids C) -> forall T, below P C T ->
    (forall o, In o T -> has pr o (item b) = true -> In o (ids C) \/ In o (ids rs)) -> is_found D T).
Proof.
  intros Go Gb C G En. induction rs as [|r rs IH]; intros P s F s' F' E Gr N M; cbn [each] in E.
  - destruct (0 <? n) eqn:L.
    + injection E as <- <-. exists []. split; [reflexivity|]. split; [apply from_none|]. intros Nc T B A'. exfalso.
      apply Z.ltb_lt in L. destruct (as_often pr T (below_cover _ _ _ B) _ (branch_item b Gb)) as [W _].
      rewrite <- (branch_need b Gb) in W.
      assert (U : uses pr (item b) T <= uses pr (item b) (ids C)).
      { apply uses_incl. { apply (once pr T), (below_cover _ _ _ B). }
        intros o Ho Hb. destruct (A' o Ho Hb) as [|[]]. assumption. }
      rewrite <- (count_uses C) in U by (try assumption; apply (branch_item b Gb)).
      rewrite <- (branch_spot b Gb) in U. lia.
    + destruct (Go _ _ _ _ _ _ E G) as (D & -> & Fr & H). exists D. split; [reflexivity|]. split; [assumption|]. intros Nc T B _. auto.
  - destruct (go (after r P C) _ (r :: C) s F) as [[s1 F1]|] eqn:E1; [|discriminate].
    inversion Gr as [|? ? Gr1 Gr2]; subst. inversion N as [|? ? Nr N']; subst.
    destruct (Go (after r P C) (r :: C) _ _ _ _ E1) as (D1 & -> & Fr1 & H1); [now constructor|].
    destruct (from_row r P C D1) as [Fr1' Has1]; [now apply M; left|assumption|].
    destruct (IH _ _ _ _ _ E Gr2 N') as (D2 & -> & Fr2 & H2).
    { intros q Hq. apply S.mem_diff; [apply M; now right|]. destruct (S.mem (place_of (id q)) (self r)) eqn:X; [|reflexivity].
      exfalso. apply Nr. rewrite Forall_forall in Gr2. apply (row_self r Gr1) in X; [|now apply row_option, Gr2].
      rewrite <- X. now apply in_map. }
    exists (D1 ++ D2). split; [now rewrite gives_app|]. split.
    + apply from_app with r; [assumption| |now apply Has1|].
      * destruct Fr2 as [A2 B2 C2 O2]. split; auto. intros c o Hc Ho. destruct (C2 c o Hc Ho) as [|X]; auto.
        right. now apply S.mem_subset in X.
      * intros c d Hc Hd Hr. destruct (from_possible _ _ _ Fr2 d (id r) Hd Hr) as [X|X]; [now apply (Has1 c Hc)|].
        rewrite S.mem_inside in X by now apply row_out. discriminate.
    + intros Nc T B A'.
      assert (Later : ~ In (id r) T \/ In (id r) (ids C) -> is_found D2 T).
      { intros Out. apply H2; [assumption| |].
        - destruct B as [HC Ch Po]. split; auto. intros o Ho. destruct (Po o Ho) as [|Mo]; auto.
          destruct (S.mem (place_of o) (self r)) eqn:X; [|right; now apply S.mem_diff].
          apply (row_self r Gr1) in X as ->; [tauto|now apply (of_options pr T HC)].
        - intros o Ho Hb. destruct (A' o Ho Hb) as [|[<-|]]; tauto. }
      apply is_found_app. destruct (in_dec equal_dec (id r) (ids C)) as [|Out1]; [now auto|].
      destruct (in_dec equal_dec (id r) T) as [In2|Out2]; [left|now auto].
      apply H1; [cbn; now constructor|]. now apply after_below.
Qed.

(** A cover has at most as many options of an item as were chosen or are still possible. *)
Lemma uses_below b P C T : good_branch b -> Forall good_row C -> below P C T ->
  (forall o, In o T -> has pr o (item b) = true -> In o (ids C) \/ In o (ids (S.pick _ (choices b) P))) /\
  need b <= count (spot b) C + Z.of_nat (length (S.pick _ (choices b) P)).
Proof.
  intros Gb G [HC Ch Po].
  assert (A' : forall o, In o T -> has pr o (item b) = true -> In o (ids C) \/ In o (ids (S.pick _ (choices b) P))).
  { intros o Ho Hb. destruct (Po o Ho) as [|M]; auto. right.
    destruct (branch_choices b Gb o (of_options pr T HC o Ho) Hb) as (r & <- & Hr).
    apply in_map. now apply S.pick_entries with (place_of (id r)). }
  split; [assumption|].
  destruct (as_often pr T HC _ (branch_item b Gb)) as [W _]. rewrite <- (branch_need b Gb) in W.
  assert (U : uses pr (item b) T <= uses pr (item b) (ids C ++ ids (S.pick _ (choices b) P))).
  { apply uses_incl; [apply (once pr T HC)|]. intros o Ho Hb. apply in_or_app. auto. }
  rewrite uses_app, <- (count_uses C), <- (branch_spot b Gb) in U by (try assumption; apply (branch_item b Gb)).
  pose proof (uses_at_most pr (item b) (ids (S.pick _ (choices b) P))) as M. unfold ids in M at 2. rewrite map_length in M. lia.
Qed.

Lemma node_sound fuel : sound (node fuel).
Proof.
  induction fuel as [|fuel IH]; intros P C s F s' F' E G; cbn [node] in E; [discriminate|].
  destruct (S.is_empty P && is_solution C) eqn:L.
  - injection E as <- <-. apply andb_true_iff in L as [L1 L2]. apply is_solution_sound in L2; [|assumption].
    exists [C]. split; [reflexivity|]. split.
    + split; cbn [In].
      * intros c [<-|[]]. auto.
      * intros c [<-|[]]. now exists [].
      * intros c o [<-|[]] Ho. auto.
      * repeat constructor. intros [].
    + intros N T [HC Ch Po]. exists C. split; [now left|].
      apply NoDup_Permutation; [assumption|apply (once pr T HC)|].
      intros o. split; [apply Ch|]. intros Ho. destruct (Po o Ho) as [|M]; [assumption|].
      rewrite S.mem_empty in M by assumption. discriminate.
  - clear L. destruct (next s) as [[b s1]|] eqn:Nx; [|discriminate]. pose proof (next_good _ _ _ Nx) as Gb.
    destruct (one b) eqn:O1.
    + destruct (S.mem (spot b) (uncovered C)) eqn:Un; [|discriminate].
      destruct (ones_sound _ b IH Gb O1 P C G _ _ _ _ _ E) as (D & -> & Fr & _ & H);
        [now apply pick_good|now apply pick_ids|intros r Hr; now apply pick_possible|].
      exists D. split; [reflexivity|]. split; [assumption|]. intros N T B. apply H; [assumption..|].
      destruct (branch_one b Gb O1) as [Ne Mo]. rewrite (branch_most b Gb) in Mo. rewrite (branch_spot b Gb) in Un.
      pose proof (uncovered_none C _ G (branch_item b Gb) Mo Un) as Z0.
      assert (Out : forall o, has pr o (item b) = true -> ~ In o (ids C)).
      { intros o Hb Ho. assert (L : uses pr (item b) [o] <= uses pr (item b) (ids C)).
        { apply uses_incl; [repeat constructor; auto|]. intros p [<-|[]] _. assumption. }
        unfold uses at 1 in L. cbn in L. rewrite Hb in L. cbn in L. lia. }
      destruct (as_often pr T (below_cover _ _ _ B) _ (branch_item b Gb)) as [W _]. rewrite <- (branch_need b Gb), Ne in W.
      unfold uses in W. destruct (filter (fun o => has pr o (item b)) T) as [|o l] eqn:Fi; [cbn in W; lia|].
      assert (Ho : In o (o :: l)) by now left. rewrite <- Fi in Ho. apply filter_In in Ho as [Ho Hb]. clear Fi W.
      destruct (proj1 (uses_below b P C T Gb G B) o Ho Hb) as [X|X]; [now apply Out in X|].
      apply in_map_iff in X as (r & <- & Hr). exists r. auto.
    + set (rs := S.pick _ (choices b) P) in *. set (n := need b - count (spot b) C) in *.
      destruct (Z.of_nat (length rs) <? n) eqn:Few.
      * injection E as <- <-. exists []. split; [reflexivity|]. split; [apply from_none|]. intros N T B. exfalso.
        apply Z.ltb_lt in Few. destruct (uses_below b P C T Gb G B) as [_ W]. fold rs in W. unfold n in Few. lia.
      * assert (E' : each (node fuel) (0 <? n) rs P (uncovered C) C s1 F = Some (s', F')) by (destruct rs; [discriminate|assumption]).
        destruct (each_sound (node fuel) b n IH Gb C G eq_refl rs P s1 F s' F' E') as (D & -> & Fr & H);
          [now apply pick_good|now apply pick_ids|intros r Hr; now apply (pick_possible b)|].
        exists D. split; [reflexivity|]. split; [assumption|]. intros N T B. apply H; [assumption..|]. now apply (uses_below b P C T).
Qed.

(** Removals: a cover within the possible options is within the remaining ones. *)
Definition inside (P : S.set) (T : list O) : Prop := forall o, In o T -> S.mem (place_of o) P = true.

Lemma remove_sound rs : forall P P', remove rs P = Some P' ->
  Forall (fun x => good_row (fst x) /\ good_branch (snd x)) rs -> (forall T, cover pr T -> inside P T -> inside P' T) /\
  forall x, S.mem x P' = true -> S.mem x P = true.
Proof.
  induction rs as [|[r b] rs IH]; intros P P' E G; cbn [remove] in E. { injection E as <-. auto. }
  destruct (negb _ && _) eqn:L; [|discriminate]. inversion G as [|? ? [Gr Gb] G']; subst. cbn [fst snd] in *.
  apply andb_true_iff in L as [L1 L2]. apply negb_true_iff in L1. apply Z.ltb_lt in L2.
  rewrite (branch_spot b Gb), (row_contents r Gr) in L1 by apply (branch_item b Gb).
  destruct (IH _ _ E G') as [IH1 IH2]. split; [|intros x M; apply IH2 in M; now apply S.mem_subset in M].
  intros T HC HP. apply (IH1 T HC). intros o Ho. specialize (HP o Ho) as M.
  destruct (S.mem (place_of o) (self r)) eqn:X; [|now apply S.mem_diff].
  apply (row_self r Gr) in X; [subst o|now apply (of_options pr T HC)]. exfalso.
  set (left := S.pick _ (choices b) (S.diff P (kill r))) in *.
  assert (U : uses pr (item b) T <= uses pr (item b) (ids left)).
  { apply uses_incl; [apply (once pr T HC)|]. intros o Ho' Hb.
    destruct (branch_choices b Gb o (of_options pr T HC o Ho') Hb) as (q & <- & Hq).
    apply in_map. apply S.pick_entries with (place_of (id q)); [assumption|]. apply S.mem_diff; [now apply HP|].
    destruct (S.mem (place_of (id q)) (kill r)) eqn:K; [|reflexivity].
    destruct (row_kill r Gr _ (of_options pr T HC _ Ho') K) as [D|D]; [congruence|]. destruct (D T HC Ho Ho'). }
  destruct (as_often pr T HC _ (branch_item b Gb)) as [W _]. rewrite <- (branch_need b Gb) in W.
  pose proof (uses_at_most pr (item b) (ids left)) as A'. unfold ids in A' at 2. rewrite map_length in A'. lia.
Qed.

(** Options that every cover in question has are chosen at the start. *)
Lemma start_sound rs : forall P C, Forall good_row rs -> Forall good_row C -> NoDup (ids rs ++ ids C) ->
  match start rs P C with
  | Some (P', C') => Forall good_row C' /\ NoDup (ids C') /\ (forall T, below P C T -> incl (ids rs) T -> below P' C' T) /\
    (forall x, S.mem x P' = true -> S.mem x P = true) /\
    forall o, In o (ids C') -> In o (ids C) \/ S.mem (place_of o) P = true
  | None => forall T, below P C T -> incl (ids rs) T -> False
  end.
Proof.
  induction rs as [|r rs IH]; intros P C Gr G N; cbn [start].
  - split; [assumption|]. split; [assumption|]. auto.
  - inversion Gr as [|? ? Gr1 Gr2]; subst. cbn [ids map app] in N. fold (ids rs) in N.
    pose proof (proj1 (NoDup_cons_iff _ _) N) as [Nr N']. rewrite in_app_iff in Nr.
    assert (NC : NoDup (ids C)) by now apply NoDup_behind in N'.
    destruct (S.mem (here r) P) eqn:M.
    + specialize (IH (after r P C) (r :: C) Gr2). destruct (start rs _ _) as [[P' C']|].
      * destruct IH as (G' & N1 & H & Su & Po). { now constructor. }
        { apply Permutation_NoDup with (id r :: ids rs ++ ids C); [apply Permutation_middle|assumption]. }
        split; [assumption|]. split; [assumption|]. split; [|split].
        -- intros T B A'. apply H; [|intros o Ho; apply A'; now right]. apply after_below; auto. apply A'. now left.
        -- intros x Hx. apply Su in Hx. now apply after_subset in Hx.
        -- intros o Ho. apply Po in Ho as [[<-|]|X]; [right; now rewrite <- (row_here r Gr1)|now left|right].
           now apply after_subset in X.
      * intros T B A'. apply (IH (Forall_cons _ Gr1 G)) with T; [| |intros o Ho; apply A'; now right].
        { apply Permutation_NoDup with (id r :: ids rs ++ ids C); [apply Permutation_middle|assumption]. }
        apply after_below; auto. apply A'. now left.
    + intros T [HC Ch Po] A'. destruct (Po (id r) (A' _ (or_introl eq_refl))) as [|M']; [auto|].
      rewrite <- (row_here r Gr1) in M'. congruence.
Qed.

(** The theorem: [leaf] gets only covers with allowed options, none twice, and it gets every cover that has all forced options and only
    allowed ones. *)
Theorem search_sound fuel allowed forced removals s F s' F' :
  search fuel allowed forced removals s F = Some (s', F') ->
  Forall good_row forced -> NoDup (ids forced) ->
  Forall (fun x => good_row (fst x) /\ good_branch (snd x)) removals ->
  exists D, F' = gives D F /\
  (forall c, In c D -> cover pr (ids c) /\ Forall good_row c /\ inside allowed (ids c)) /\
  NoDup (map (fun c => set_of (ids c)) D) /\
  forall T, cover pr T -> incl (ids forced) T -> inside allowed T -> is_found D T.
Proof.
  unfold search. intros E Gf Nf Gr. destruct (remove removals allowed) as [P|] eqn:ER; [|discriminate].
  destruct (remove_sound removals allowed P ER Gr) as [Rs Ri].
  pose proof (start_sound forced P [] Gf (Forall_nil _)) as St. rewrite app_nil_r in St. specialize (St Nf).
  assert (B0 : forall T, cover pr T -> inside allowed T -> below P [] T).
  { intros T HC Ha. split; [assumption|intros o []|]. intros o Ho. right. revert o Ho. now apply Rs. }
  destruct (start forced P []) as [[P' C]|].
  - destruct St as (G & N & H & Su & Po). destruct (node_sound fuel P' C s F s' F' E G) as (D & -> & Fr & Al).
    exists D. split; [reflexivity|]. split; [|split; [apply (from_once _ _ _ Fr)|]].
    + intros c Hc. destruct (from_covers _ _ _ Fr c Hc) as [X Y]. split; [assumption|]. split; [assumption|].
      intros o Ho. apply Ri. destruct (from_possible _ _ _ Fr c o Hc Ho) as [Z|Z]; [|now apply Su].
      now destruct (Po o Z) as [[]|].
    + intros T HC Hf Ha. apply Al; [assumption|]. apply H; [|assumption]. now apply B0.
  - injection E as <- <-. exists []. split; [reflexivity|]. split; [intros c []|]. split; [constructor|].
    intros T HC Hf Ha. destruct (St T); [|assumption]. now apply B0.
Qed.

End Tree.
End Tree.
