(** * The search tree of a certificate, replayed

    The state at a node: the set [P] of the options that are still possible, and the list [C] of the rows that were
    chosen. The certificate names an item. If fewer of its options are possible than it still needs, nothing lies below.
    Otherwise each of them is chosen in turn, those before it ruled out; and if the item needs no more, the case
    that none is chosen follows. The certificate is any function [next] that yields the next item: nothing of it is
    believed. *)

From Coq Require Import List Bool ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets Cover Trie.
Import ListNotations.
Open Scope Z_scope.

Module Tree (S : SETS).

(** ** What does not change: for each option a row, for each item a branch *)

(** An item that may be covered several times: once it is full, its members are not possible any more. *)
Record multi (I : Type) := { m_item : I; m_spot : S.place; m_members : S.set; m_most : Z }.
Arguments m_item {I}. Arguments m_spot {I}. Arguments m_members {I}. Arguments m_most {I}.

Record row (O I : Type) := {
  id : O;
  here : S.place;            (* of the option, in sets of options *)
  self : S.set;              (* the option alone *)
  kill : S.set;              (* what is not possible any more when the option is chosen *)
  contents : S.set;          (* its items: places are those of the items *)
  tight : list (multi I);
}.
Arguments id {O I}. Arguments here {O I}. Arguments self {O I}. Arguments kill {O I}.
Arguments contents {O I}. Arguments tight {O I}.

Record branch (O I : Type) := { item : I; spot : S.place; need : Z; most : option Z; choices : S.table (row O I) }.
Arguments item {O I}. Arguments spot {O I}. Arguments need {O I}. Arguments most {O I}. Arguments choices {O I}.

Section Tree.
Context {O I : Type} {OO : Order O} {LO : Lawful O}.
Variable clash : O -> O -> bool.
Variable branches : list (branch O I).
Context {stream : Type}.
Variable next : stream -> option (branch O I * stream).

Definition row' := row O I.
Definition ids (C : list row') : list O := map id C.

(** ** The checker *)

(** How often the item at a place is covered by rows. *)
Fixpoint count (x : S.place) (C : list row') : Z :=
  match C with [] => 0 | r :: C => if S.mem x (contents r) then Z.succ (count x C) else count x C end.

(** What is possible after a row was chosen. *)
Definition after (r : row') (P : S.set) (C : list row') : S.set :=
  fold_left (fun P m => if m_most m <=? count (m_spot m) (r :: C) then S.diff P (m_members m) else P)
    (tight r) (S.diff P (kill r)).

Definition is_solution (C : list row') : bool :=
  forallb (fun b => (need b <=? count (spot b) C) && within_b (count (spot b) C) (most b)) branches &&
  Nat.eqb (length (set_of (ids C))) (length C) &&
  forallb (fun o => forallb (fun p => same o p || negb (clash o p)) (ids C)) (ids C).

Definition found := list (list row').
Definition walk := S.set -> list row' -> stream -> found -> option (stream * found).

Fixpoint each (go : walk) (finished : bool) (rs : list row') (P : S.set) (C : list row') (s : stream) (F : found)
    : option (stream * found) :=
  match rs with
  | [] => if finished then Some (s, F) else go P C s F
  | r :: rs =>
    match go (after r P C) (r :: C) s F with
    | None => None
    | Some (s, F) => each go finished rs (S.diff P (self r)) C s F
    end
  end.

(** [fuel] is more than the number of options: so deep can a tree be. *)
Fixpoint node (fuel : nat) (P : S.set) (C : list row') (s : stream) (F : found) : option (stream * found) :=
  match fuel with
  | 0%nat => None
  | Datatypes.S fuel =>
    if S.is_empty P && is_solution C then Some (s, C :: F)
    else match next s with
    | None => None
    | Some (b, s) =>
      let rs := S.pick _ (choices b) P in
      let n := need b - count (spot b) C in
      if Z.of_nat (length rs) <? n then Some (s, F)
      else match rs with [] => None | _ => each (node fuel) (0 <? n) rs P C s F end
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

Definition search (fuel : nat) (allowed : S.set) (forced : list row') (removals : list (row' * branch O I)) (s : stream)
    : option (stream * found) :=
  match remove removals allowed with
  | None => None
  | Some P => match start forced P [] with
    | None => Some (s, [])
    | Some (P, C) => node fuel P C s []
    end
  end.

(** ** Its soundness: no cover escapes *)

Variable pr : problem O I.
Variable place_of : O -> S.place.
Variable spot_of : I -> S.place.
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
  row_self : forall p, In p (options pr) -> S.mem (place_of p) (self r) = true -> p = id r;
  row_kill : forall p, In p (options pr) -> S.mem (place_of p) (kill r) = true -> p = id r \/ incompatible pr (id r) p;
  row_contents : forall i, In i (items pr) -> S.mem (spot_of i) (contents r) = has pr (id r) i;
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
}.

Hypothesis next_good : forall s b s', next s = Some (b, s') -> good_branch b.
Hypothesis branches_good : forall b, In b branches -> good_branch b.
Hypothesis branches_all : forall i, In i (items pr) -> exists b, In b branches /\ item b = i.

(** The covers that a node has to find: those that have the chosen options, and besides only possible ones. *)
Record below (P : S.set) (C : list row') (T : list O) : Prop := {
  below_cover : cover pr T;
  below_chosen : incl (ids C) T;
  below_possible : forall o, In o T -> In o (ids C) \/ S.mem (place_of o) P = true;
}.

Definition is_found (F : found) (T : list O) : Prop := exists D, In D F /\ Permutation (ids D) T.

Lemma count_uses C i : Forall good_row C -> In i (items pr) -> count (spot_of i) C = uses pr i (ids C).
Proof.
  intros G Hi. induction G as [|r C Gr G IH]; [reflexivity|]. cbn [count ids map]. fold (ids C).
  rewrite uses_cons, (row_contents r Gr i Hi), IH. destruct (has pr (id r) i); lia.
Qed.

(** What is taken away when [r] is chosen is in no cover that has [r] and all that was chosen before. *)
Lemma after_below r P C T : good_row r -> Forall good_row C -> NoDup (ids C) -> ~ In (id r) (ids C) ->
  In (id r) T -> below P C T -> below (after r P C) (r :: C) T.
Proof.
  intros Gr G N Hr HT [HC Ch Po]. split; [assumption| |].
  { intros o [<-|Ho]; auto. }
  unfold after.
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

(** What holds of a way to go on from any state: it loses nothing that was found, it finds only covers, and all of them
    that are below the state. *)
Definition are_covers (F : found) : Prop := forall D, In D F -> cover pr (ids D).
Definition keeps_all (F F' : found) : Prop := incl F F' /\ (are_covers F -> are_covers F').

Definition sound (go : walk) : Prop := forall P C s F s' F', go P C s F = Some (s', F') -> Forall good_row C ->
  keeps_all F F' /\ (NoDup (ids C) -> forall T, below P C T -> is_found F' T).

Lemma is_found_incl F F' T : incl F F' -> is_found F T -> is_found F' T.
Proof. intros H (D & HD & E). exists D. auto. Qed.

(** The branches of an item: [rs] are those of its options that are still to be chosen. *)
Lemma each_sound go b n : sound go -> good_branch b -> forall rs P C s F s' F',
  each go (0 <? n) rs P C s F = Some (s', F') -> Forall good_row C -> Forall good_row rs -> n = need b - count (spot b) C ->
  keeps_all F F' /\
  (NoDup (ids C) -> forall T, below P C T ->
    (forall o, In o T -> has pr o (item b) = true -> In o (ids C) \/ In o (ids rs)) -> is_found F' T).
Proof.
  intros Go Gb. induction rs as [|r rs IH]; intros P C s F s' F' E G Gr En; cbn [each] in E.
  - destruct (0 <? n) eqn:L.
    + injection E as <- <-. split; [split; auto; apply incl_refl|]. intros N T B A. exfalso.
      apply Z.ltb_lt in L. destruct (as_often pr T (below_cover _ _ _ B) _ (branch_item b Gb)) as [W _].
      rewrite <- (branch_need b Gb) in W.
      assert (U : uses pr (item b) T <= uses pr (item b) (ids C)).
      { apply uses_incl. { apply (once pr T), (below_cover _ _ _ B). }
        intros o Ho Hb. destruct (A o Ho Hb) as [|[]]. assumption. }
      rewrite <- (count_uses C) in U by (try assumption; apply (branch_item b Gb)).
      rewrite <- (branch_spot b Gb) in U. lia.
    + destruct (Go _ _ _ _ _ _ E G) as [K H]. split; [assumption|]. intros N T B _. auto.
  - destruct (go (after r P C) (r :: C) s F) as [[s1 F1]|] eqn:E1; [|discriminate].
    inversion Gr as [|? ? Gr1 Gr2]; subst.
    destruct (Go _ _ _ _ _ _ E1) as [[K1 K1'] H1]; [now constructor|].
    destruct (IH _ _ _ _ _ _ E G Gr2 eq_refl) as [[K2 K2'] H2].
    split. { split; [now apply incl_tran with F1|auto]. }
    intros N T B A.
    destruct (in_dec equal_dec (id r) (ids C)) as [In1|Out1]; [|destruct (in_dec equal_dec (id r) T) as [In2|Out2]].
    + apply H2; [assumption| |].
      * destruct B as [HC Ch Po]. split; auto. intros o Ho. destruct (Po o Ho) as [|M]; auto.
        destruct (S.mem (place_of o) (self r)) eqn:X; [|right; now apply S.mem_diff].
        apply (row_self r Gr1) in X as ->; auto. now apply (of_options pr T HC).
      * intros o Ho Hb. destruct (A o Ho Hb) as [|[<-|]]; auto.
    + apply is_found_incl with F1; [assumption|]. apply H1.
      * cbn. now constructor.
      * now apply after_below.
    + apply H2; [assumption| |].
      * destruct B as [HC Ch Po]. split; auto. intros o Ho. destruct (Po o Ho) as [|M]; auto.
        destruct (S.mem (place_of o) (self r)) eqn:X; [|right; now apply S.mem_diff].
        apply (row_self r Gr1) in X as ->; [contradiction|]. now apply (of_options pr T HC).
      * intros o Ho Hb. destruct (A o Ho Hb) as [|[<-|]]; auto. contradiction.
Qed.

Lemma is_solution_sound C : Forall good_row C -> is_solution C = true -> cover pr (ids C).
Proof.
  intros G. unfold is_solution. rewrite !andb_true_iff, !forallb_forall, Nat.eqb_eq. intros [[A N] X]. split.
  - apply set_of_length. unfold ids at 2. now rewrite map_length.
  - intros o Ho. apply in_map_iff in Ho as (r & <- & Hr). rewrite Forall_forall in G. now apply row_option, G.
  - intros i Hi. destruct (branches_all i Hi) as (b & Hb & <-). specialize (A b Hb).
    apply andb_true_iff in A as [L W]. destruct (branches_good b Hb) as [_ Sp Ne Mo _ _].
    rewrite Sp, count_uses in L, W by assumption. rewrite <- Ne, <- Mo. split; [now apply Z.leb_le|].
    unfold within_b in W. destruct (most b); cbn; [now apply Z.leb_le|trivial].
  - intros o p Ho Hp D. specialize (X o Ho). rewrite forallb_forall in X. specialize (X p Hp).
    apply orb_true_iff in X as [E|E]; [now apply same_iff in E|]. rewrite <- clash_is. now apply negb_true_iff.
Qed.

(** A cover has no more options of an item than were chosen and are still possible. *)
Lemma uses_below b P C T : good_branch b -> Forall good_row C -> below P C T ->
  (forall o, In o T -> has pr o (item b) = true -> In o (ids C) \/ In o (ids (S.pick _ (choices b) P))) /\
  need b <= count (spot b) C + Z.of_nat (length (S.pick _ (choices b) P)).
Proof.
  intros Gb G [HC Ch Po].
  assert (A : forall o, In o T -> has pr o (item b) = true -> In o (ids C) \/ In o (ids (S.pick _ (choices b) P))).
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

Lemma pick_good b P : good_branch b -> Forall good_row (S.pick _ (choices b) P).
Proof. intros Gb. apply Forall_forall. intros r Hr. apply (branch_rows b Gb). now apply S.pick_all in Hr. Qed.

Lemma node_sound fuel : sound (node fuel).
Proof.
  induction fuel as [|fuel IH]; intros P C s F s' F' E G; cbn [node] in E; [discriminate|].
  destruct (S.is_empty P && is_solution C) eqn:L.
  - injection E as <- <-. apply andb_true_iff in L as [L1 L2]. apply is_solution_sound in L2; [|assumption].
    split; [split|].
    + intros D HD. now right.
    + intros HF D [<-|HD]; auto.
    + intros N T [HC Ch Po]. exists C. split; [now left|].
      apply NoDup_Permutation; [assumption|apply (once pr T HC)|].
      intros o. split; [apply Ch|]. intros Ho. destruct (Po o Ho) as [|M]; [assumption|].
      rewrite S.mem_empty in M by assumption. discriminate.
  - clear L. destruct (next s) as [[b s1]|] eqn:Nx; [|discriminate]. pose proof (next_good _ _ _ Nx) as Gb.
    set (rs := S.pick _ (choices b) P) in *. set (n := need b - count (spot b) C) in *.
    destruct (Z.of_nat (length rs) <? n) eqn:Few.
    + injection E as <- <-. split; [split; auto; apply incl_refl|]. intros N T B. exfalso.
      apply Z.ltb_lt in Few. destruct (uses_below b P C T Gb G B) as [_ W]. fold rs in W. unfold n in Few. lia.
    + assert (E' : each (node fuel) (0 <? n) rs P C s1 F = Some (s', F')) by (destruct rs; [discriminate|assumption]).
      destruct (each_sound (node fuel) b n IH Gb rs P C s1 F s' F' E' G) as [K H]; [now apply pick_good|reflexivity|].
      split; [assumption|]. intros N T B. apply H; [assumption..|]. now apply (uses_below b P C T).
Qed.

(** Removals: whoever is within what was possible is within what is left. *)
Definition inside (P : S.set) (T : list O) : Prop := forall o, In o T -> S.mem (place_of o) P = true.

Lemma remove_sound rs : forall P P', remove rs P = Some P' ->
  Forall (fun x => good_row (fst x) /\ good_branch (snd x)) rs -> forall T, cover pr T -> inside P T -> inside P' T.
Proof.
  induction rs as [|[r b] rs IH]; intros P P' E G T HC HP; cbn [remove] in E. { now injection E as <-. }
  destruct (negb _ && _) eqn:L; [|discriminate]. inversion G as [|? ? [Gr Gb] G']; subst. cbn [fst snd] in *.
  apply andb_true_iff in L as [L1 L2]. apply negb_true_iff in L1. apply Z.ltb_lt in L2.
  rewrite (branch_spot b Gb), (row_contents r Gr) in L1 by apply (branch_item b Gb).
  apply (IH _ _ E G' T HC). intros o Ho. specialize (HP o Ho) as M.
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
  pose proof (uses_at_most pr (item b) (ids left)) as A. unfold ids in A at 2. rewrite map_length in A. lia.
Qed.

(** Options that every cover in question has are chosen at the start. *)
Lemma start_sound rs : forall P C, Forall good_row rs -> Forall good_row C -> NoDup (ids rs ++ ids C) ->
  match start rs P C with
  | Some (P', C') => Forall good_row C' /\ NoDup (ids C') /\ forall T, below P C T -> incl (ids rs) T -> below P' C' T
  | None => forall T, below P C T -> incl (ids rs) T -> False
  end.
Proof.
  induction rs as [|r rs IH]; intros P C Gr G N; cbn [start].
  - split; [assumption|]. split; [assumption|]. auto.
  - inversion Gr as [|? ? Gr1 Gr2]; subst. cbn [ids map app] in N. fold (ids rs) in N.
    pose proof (proj1 (NoDup_cons_iff _ _) N) as [Nr N']. rewrite in_app_iff in Nr.
    assert (NC : NoDup (ids C)). { clear - N'. induction (ids rs); [assumption|]. inversion N'; auto. }
    destruct (S.mem (here r) P) eqn:M.
    + specialize (IH (after r P C) (r :: C) Gr2). destruct (start rs _ _) as [[P' C']|].
      * destruct IH as (G' & N1 & H). { now constructor. }
        { apply Permutation_NoDup with (id r :: ids rs ++ ids C); [apply Permutation_middle|assumption]. }
        split; [assumption|]. split; [assumption|]. intros T B A. apply H; [|intros o Ho; apply A; now right].
        apply after_below; auto. apply A. now left.
      * intros T B A. apply (IH (Forall_cons _ Gr1 G)) with T; [| |intros o Ho; apply A; now right].
        { apply Permutation_NoDup with (id r :: ids rs ++ ids C); [apply Permutation_middle|assumption]. }
        apply after_below; auto. apply A. now left.
    + intros T [HC Ch Po] A. destruct (Po (id r) (A _ (or_introl eq_refl))) as [|M']; [auto|].
      rewrite <- (row_here r Gr1) in M'. congruence.
Qed.

(** The theorem: what is found are covers, and every cover that has all forced options and only allowed ones is found. *)
Theorem search_sound fuel allowed forced removals s s' F :
  search fuel allowed forced removals s = Some (s', F) ->
  Forall good_row forced -> NoDup (ids forced) ->
  Forall (fun x => good_row (fst x) /\ good_branch (snd x)) removals ->
  are_covers F /\ forall T, cover pr T -> incl (ids forced) T -> inside allowed T -> is_found F T.
Proof.
  unfold search. intros E Gf Nf Gr. destruct (remove removals allowed) as [P|] eqn:ER; [|discriminate].
  pose proof (start_sound forced P [] Gf (Forall_nil _)) as St. rewrite app_nil_r in St. specialize (St Nf).
  destruct (start forced P []) as [[P' C]|].
  - destruct St as (G & N & H). destruct (node_sound fuel P' C s [] s' F E G) as [[_ K] A].
    split. { apply K. intros D []. }
    intros T HC Hf Ha. apply A; [assumption|]. apply H; [|assumption].
    split; [assumption|intros o []|]. intros o Ho. right. revert o Ho. now apply (remove_sound removals allowed).
  - injection E as <- <-. split. { intros D []. }
    intros T HC Hf Ha. destruct (St T); [|assumption].
    split; [assumption|intros o []|]. intros o Ho. right. revert o Ho. now apply (remove_sound removals allowed).
Qed.

(** So where all options are allowed, the sets that were found are all covers with the forced options, each once. *)
Definition distinct (F : found) : list (list O) := set_of (map (fun C => set_of (ids C)) F).

Theorem search_counts fuel allowed forced removals s s' F :
  search fuel allowed forced removals s = Some (s', F) ->
  Forall good_row forced -> NoDup (ids forced) ->
  Forall (fun x => good_row (fst x) /\ good_branch (snd x)) removals ->
  (forall o, In o (options pr) -> S.mem (place_of o) allowed = true) ->
  there_are (Z.of_nat (length (filter (fun T => forallb (fun o => member o T) (ids forced)) (distinct F))))
    (fun T => ascending T /\ cover pr T /\ incl (ids forced) T).
Proof.
  intros E Gf Nf Gr Al. destruct (search_sound _ _ _ _ _ _ _ E Gf Nf Gr) as [K A].
  eexists. split; [apply NoDup_filter, ascending_NoDup, set_of_ascending|]. split; [reflexivity|].
  intros T. rewrite filter_In, forallb_forall. unfold distinct. rewrite set_of_In, in_map_iff. split.
  - intros [(C & <- & HC) Hf]. split; [apply set_of_ascending|]. split.
    + apply cover_Permutation with (ids C); [|now apply K]. apply NoDup_Permutation.
      * apply (once pr _ (K C HC)).
      * apply ascending_NoDup, set_of_ascending.
      * intros o. now rewrite set_of_In.
    + intros o Ho. now apply member_iff, Hf.
  - intros (As & HC & Hf). split.
    + destruct (A T HC Hf) as (D & HD & P). { intros o Ho. apply Al. now apply (of_options pr T HC). }
      exists D. split; [|assumption]. rewrite <- (set_of_id T As). apply set_of_same.
      intros o. split; apply Permutation_in; [assumption|now apply Permutation_sym].
    + intros o Ho. now apply member_iff, Hf.
Qed.

End Tree.
End Tree.
