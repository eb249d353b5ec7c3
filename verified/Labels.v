(** * Copies told apart *)

From Coq Require Import List Bool ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets Trie Symmetry Orbits.
Import ListNotations.
Open Scope Z_scope.

(** Each tile is one piece with at most one copy. *)
Definition single_copies (P : puzzle) : bool :=
  forallb (fun t => match ranges t with [(_, Some h)] => h <=? 1 | _ => false end) (tiles P).

Definition labelled_so (S : list placement) : list (placement * label) := map (fun p => (p, (0%nat, 0))) S.

Lemma labelled_so_fst S : map fst (labelled_so S) = S.
Proof. unfold labelled_so. rewrite map_map. cbn. apply map_id. Qed.

Lemma in_two {A} (l : list A) x y : In x l -> In y l -> x <> y -> (2 <= length l)%nat.
Proof.
  intros Hx Hy D. change 2%nat with (length [x; y]). apply NoDup_incl_length.
  - repeat constructor; cbn; intuition.
  - intros z [<-|[<-|[]]]; assumption.
Qed.

Section Labels.
Variable P : puzzle.
Hypothesis single : single_copies P = true.

Lemma single_range n t : nth_error (tiles P) n = Some t -> exists l h, ranges t = [(l, Some h)] /\ h <= 1.
Proof.
  intros E. apply nth_error_In in E. unfold single_copies in single. rewrite forallb_forall in single. specialize (single t E).
  destruct (ranges t) as [|[l [h|]] [|? ?]]; try discriminate. apply Z.leb_le in single. eauto.
Qed.

(** Then each solution has one labelling. *)
Lemma labelled_iff L : labelled_solution P L <-> exists S, solution P S /\ L = labelled_so S.
Proof.
  split.
  - intros (HS & _ & C & _). exists (map fst L). split; [assumption|]. unfold labelled_so. rewrite map_map.
    rewrite <- (map_id L) at 1. apply map_ext_in. intros [p [piece copy]] Hp. cbn [fst].
    destruct (C p piece copy Hp) as (t & l & h & Et & Er & B). destruct (single_range _ t Et) as (l' & h' & R & H1).
    rewrite R in Er. destruct piece as [|piece]; [|destruct piece; discriminate]. injection Er as -> ->.
    assert (copy = 0) as -> by lia. reflexivity.
  - intros (S & HS & ->). unfold labelled_solution. rewrite labelled_so_fst.
    assert (Hc : forall n t, nth_error (tiles P) n = Some t -> exists l h, ranges t = [(l, Some h)] /\ h <= 1 /\
      l <= copies n S <= h).
    { intros n t E. destruct (single_range n t E) as (l & h & R & H1). exists l, h.
      destruct (kept_copies P S HS n t E) as [K1 K2]. unfold low, high in *. rewrite R in *. cbn in K1, K2.
      rewrite Z.add_0_r in *. auto. }
    split; [assumption|]. split; [|split].
    + intros p q l Hp Hq E. unfold labelled_so in Hp, Hq. apply in_map_iff in Hp as (p' & [= -> _] & Hp), Hq as (q' & [= -> _] & Hq).
      destruct (equal_dec p q) as [|D]; [assumption|]. exfalso.
      destruct (of_placements P S HS p Hp) as ((t & _ & _ & _ & Et & _) & _).
      destruct (Hc _ t Et) as (l' & h & _ & H1 & _ & H2). unfold copies in H2.
      assert (2 <= length (filter (fun r => Nat.eqb (tile_of r) (tile_of p)) S))%nat; [|lia].
      apply (in_two _ p q); [apply filter_In..|assumption]; (split; [assumption|]); apply Nat.eqb_eq; congruence.
    + intros p piece copy Hp. unfold labelled_so in Hp. apply in_map_iff in Hp as (p' & [= -> <- <-] & Hp).
      destruct (of_placements P S HS p Hp) as ((t & _ & _ & _ & Et & _) & _).
      destruct (Hc _ t Et) as (l & h & R & H1 & H2). exists t, l, h. split; [assumption|]. split; [now rewrite R|].
      split; [lia|]. unfold copies in H2.
      assert (1 <= length (filter (fun r => Nat.eqb (tile_of r) (tile_of p)) S))%nat; [|lia].
      change 1%nat with (length [p]). apply NoDup_incl_length; [repeat constructor; auto|].
      intros r [<-|[]]. apply filter_In. split; [assumption|]. apply Nat.eqb_refl.
    + intros n t piece l h Et Er. destruct (Hc n t Et) as (l' & h' & R & H1 & H2). rewrite R in Er.
      destruct piece as [|piece]; [|destruct piece; discriminate]. injection Er as <- <-.
      replace (length (filter (fun x => Nat.eqb (tile_of (fst x)) n && Nat.eqb (fst (snd x)) 0) (labelled_so S)))
        with (length (filter (fun p => Nat.eqb (tile_of p) n) S)); [unfold copies in H2; lia|].
      clear. unfold labelled_so. induction S as [|p S IH]; [reflexivity|]. cbn. destruct (Nat.eqb (tile_of p) n); cbn; congruence.
Qed.

Theorem labelled_as_all n : all_solutions P n -> all_labelled P n.
Proof.
  intros (l & N & L & E). exists (map labelled_so l). split; [|split].
  - assert (I : forall S T, labelled_so S = labelled_so T -> S = T).
    { intros S T H. rewrite <- (labelled_so_fst S), <- (labelled_so_fst T). now rewrite H. }
    clear - N I. induction N as [|S l HS N IH]; cbn; constructor; [|assumption].
    intros H. apply in_map_iff in H as (T & H & HT). apply I in H as ->. contradiction.
  - now rewrite map_length.
  - intros L'. rewrite labelled_iff, in_map_iff. split.
    + intros (S & <- & HS). exists S. split; [now apply E|reflexivity].
    + intros (S & HS & ->). exists S. split; [reflexivity|]. now apply E.
Qed.
End Labels.

(** ** Several copies

    A labelling takes labels from a pool for each tile, no label twice. The numbers of labels left at the placements give the number of
    labellings. Each identical piece has its minimum of copies automatically if the tile is one piece, if there is no minimum, or if all
    copies are used; only such tiles are counted. *)

Fixpoint pool_from (i : nat) (rs : list (Z * option Z)) : list label :=
  match rs with
  | [] => []
  | (_, Some h) :: rs => map (fun j => (i, Z.of_nat j)) (seq 0 (Z.to_nat h)) ++ pool_from (S i) rs
  | (_, None) :: rs => pool_from (S i) rs
  end.

Definition tile_ok (t : tile) : bool :=
  forallb (fun r => match snd r with Some h => (0 <=? h) && (fst r <=? h) | None => false end) (ranges t) &&
  (Nat.eqb (length (ranges t)) 1 || forallb (fun r => fst r <=? 0) (ranges t) ||
   match high t with Some h => h =? low t | None => false end).
Definition labels_ok (P : puzzle) : bool := forallb tile_ok (tiles P).

(** The number of ways to label a solution. *)
Definition supply (P : puzzle) (n : nat) : Z :=
  match nth_error (tiles P) n with Some t => match high t with Some h => h | None => 0 end | None => 0 end.
Fixpoint ways (P : puzzle) (S : list placement) : Z :=
  match S with [] => 1 | p :: others => (supply P (tile_of p) - copies (tile_of p) others) * ways P others end.

Lemma pool_In rs : forall i k c, In (k, c) (pool_from i rs) <->
  exists n l h, k = (i + n)%nat /\ nth_error rs n = Some (l, Some h) /\ 0 <= c < h.
Proof.
  induction rs as [|[l [h|]] rs IH]; intros i k c; cbn [pool_from].
  - split; [intros []|]. intros ([|n] & ? & ? & _ & E & _); discriminate.
  - rewrite in_app_iff, in_map_iff, IH. split.
    + intros [(j & [= <- <-] & Hj)|(n & l' & h' & -> & E & B)].
      * apply in_seq in Hj. exists 0%nat, l, h. split; [lia|]. split; [reflexivity|]. lia.
      * exists (S n), l', h'. split; [lia|]. auto.
    + intros ([|n] & l' & h' & -> & E & B); cbn in E.
      * injection E as <- <-. left. exists (Z.to_nat c). split; [f_equal; lia|]. apply in_seq. lia.
      * right. exists n, l', h'. split; [lia|]. auto.
  - rewrite IH. split.
    + intros (n & l' & h' & -> & E & B). exists (S n), l', h'. split; [lia|]. auto.
    + intros ([|n] & l' & h' & -> & E & B); cbn in E; [discriminate|]. exists n, l', h'. split; [lia|]. auto.
Qed.

Lemma pool_NoDup rs : forall i, NoDup (pool_from i rs).
Proof.
  induction rs as [|[l [h|]] rs IH]; intros i; cbn [pool_from]; [constructor| |apply IH].
  apply NoDup_app_both; [|apply IH|].
  - apply FinFun.Injective_map_NoDup; [intros a b [= E]; lia|apply seq_NoDup].
  - intros [k c] Hk Hm. apply in_map_iff in Hk as (j & [= <- <-] & _). apply pool_In in Hm as (n & _ & _ & E & _). lia.
Qed.

Lemma pool_length rs : forall i, forallb (fun r : Z * option Z => match snd r with Some h => (0 <=? h) && (fst r <=? h) | None => false end) rs = true ->
  fold_right (fun r sum => match snd r, sum with Some h, Some s => Some (h + s) | _, _ => None end) (Some 0) rs
  = Some (Z.of_nat (length (pool_from i rs))).
Proof.
  induction rs as [|[l [h|]] rs IH]; intros i; cbn [pool_from forallb fold_right snd fst]; [reflexivity| |discriminate].
  rewrite !andb_true_iff. intros [[H _] E]. apply Z.leb_le in H. rewrite (IH (S i) E), app_length, map_length, seq_length.
  now rewrite Nat2Z.inj_add, Z2Nat.id.
Qed.

Section Several.
Variable P : puzzle.
Hypothesis ok : labels_ok P = true.

Definition pool (n : nat) : list label := match nth_error (tiles P) n with Some t => pool_from 0 (ranges t) | None => [] end.
Definition key (x : placement * label) : nat * label := (tile_of (fst x), snd x).

Lemma tile_is_ok n t : nth_error (tiles P) n = Some t -> tile_ok t = true.
Proof. intros E. apply nth_error_In in E. unfold labels_ok in ok. rewrite forallb_forall in ok. auto. Qed.

Lemma supply_pool n : supply P n = Z.of_nat (length (pool n)).
Proof.
  unfold supply, pool. destruct (nth_error (tiles P) n) as [t|] eqn:E; [|reflexivity].
  pose proof (tile_is_ok n t E) as T. unfold tile_ok in T. apply andb_true_iff in T as [T _].
  unfold high. now rewrite (pool_length (ranges t) 0 T).
Qed.

Lemma pool_nodup n : NoDup (pool n).
Proof. unfold pool. destruct (nth_error (tiles P) n); [apply pool_NoDup|constructor]. Qed.

(** All labellings of some placements. *)
Fixpoint labellings (S : list placement) : list (list (placement * label)) :=
  match S with
  | [] => [[]]
  | p :: others => flat_map (fun L => map (fun l => (p, l) :: L)
      (filter (fun l => negb (member (tile_of p, l) (map key L))) (pool (tile_of p)))) (labellings others)
  end.

Lemma labellings_In S : forall L, In L (labellings S) <->
  map fst L = S /\ (forall x, In x L -> In (snd x) (pool (tile_of (fst x)))) /\ NoDup (map key L).
Proof.
  induction S as [|p S IH]; intros L; cbn [labellings].
  - split.
    + intros [<-|[]]. split; [reflexivity|]. split; [intros x []|constructor].
    + intros (E & _). apply map_eq_nil in E as ->. now left.
  - rewrite in_flat_map. split.
    + intros (M & HM & H). apply in_map_iff in H as (l & <- & Hl). apply filter_In in Hl as [Hl U].
      apply negb_true_iff in U. apply IH in HM as (E & B & N). cbn [map fst]. split; [now rewrite E|]. split.
      * intros x [<-|Hx]; auto.
      * constructor; [|assumption]. intros F. apply member_iff in F. unfold key at 1 in F. cbn [fst snd] in F. congruence.
    + intros (E & B & N). destruct L as [|[q l] L]; [discriminate|]. cbn [map fst] in E. injection E as -> E.
      inversion N as [|? ? Nk N']; subst. exists L. split.
      * apply IH. split; [reflexivity|]. split; [|assumption]. intros x Hx. apply B. now right.
      * apply in_map_iff. exists l. split; [reflexivity|]. apply filter_In. split; [apply (B (p, l)); now left|].
        apply negb_true_iff. rewrite <- not_true_iff_false, member_iff. exact Nk.
Qed.

Lemma labellings_NoDup S : NoDup (labellings S).
Proof.
  induction S as [|p S IH]; cbn [labellings]; [repeat constructor; auto|].
  apply NoDup_flat_map; [assumption| |].
  - intros L _. apply FinFun.Injective_map_NoDup; [intros a b [= E]; assumption|]. apply NoDup_filter, pool_nodup.
  - intros L M x _ _ Hx Hy. apply in_map_iff in Hx as (l & <- & _), Hy as (m & [= _ E] & _). congruence.
Qed.

(** The unused labels of the pool: their number falls by one for each placement of the tile. *)
Lemma unused S L p : In L (labellings S) ->
  Z.of_nat (length (filter (fun l => negb (member (tile_of p, l) (map key L))) (pool (tile_of p))))
  = supply P (tile_of p) - copies (tile_of p) S.
Proof.
  intros HL. apply labellings_In in HL as (<- & B & N). rewrite supply_pool. unfold copies.
  set (n := tile_of p).
  assert (U : length (filter (fun l => member (n, l) (map key L)) (pool n)) = length (filter (fun q => Nat.eqb (tile_of q) n) (map fst L))).
  { transitivity (length (map snd (filter (fun x => Nat.eqb (tile_of (fst x)) n) L))).
    - apply Permutation.Permutation_length, Permutation.NoDup_Permutation.
      + apply NoDup_filter, pool_nodup.
      + clear - N. induction L as [|x L IH]; [constructor|]. cbn [map] in N. inversion N as [|? ? Nx N']; subst. cbn [filter].
        destruct (Nat.eqb (tile_of (fst x)) n) eqn:E; [|now apply IH]. cbn [map]. constructor; [|now apply IH].
        intros H. apply Nx. apply in_map_iff in H as (y & Ey & Hy). apply filter_In in Hy as [Hy Ty].
        apply Nat.eqb_eq in E, Ty. apply in_map_iff. exists y. split; [unfold key; congruence|assumption].
      + intros l. rewrite filter_In, in_map_iff, member_iff, in_map_iff. split.
        * intros [_ (x & Ex & Hx)]. unfold key in Ex. injection Ex as E1 E2. exists x. split; [assumption|].
          apply filter_In. split; [assumption|]. now apply Nat.eqb_eq.
        * intros (x & <- & Hx). apply filter_In in Hx as [Hx Tx]. apply Nat.eqb_eq in Tx. split.
          -- rewrite <- Tx. now apply B.
          -- exists x. split; [unfold key; congruence|assumption].
    - rewrite map_length. clear. induction L as [|x L IH]; [reflexivity|]. cbn. destruct (Nat.eqb (tile_of (fst x)) n); cbn; congruence. }
  rewrite <- U. clear U.
  assert (G : forall l : list label, (length l = length (filter (fun l => member (n, l) (map key L)) l) +
    length (filter (fun l => negb (member (n, l) (map key L))) l))%nat).
  { clear. induction l as [|x l IH]; [reflexivity|]. cbn [filter length]. destruct (member (n, x) (map key L)); cbn [negb length]; lia. }
  rewrite (G (pool n)). lia.
Qed.

Lemma ways_labellings S : Z.of_nat (length (labellings S)) = ways P S.
Proof.
  induction S as [|p S IH]; [reflexivity|]. cbn [ways labellings]. rewrite <- IH.
  assert (G : forall Ls, (forall L, In L Ls -> In L (labellings S)) ->
    Z.of_nat (length (flat_map (fun L => map (fun l => (p, l) :: L)
      (filter (fun l => negb (member (tile_of p, l) (map key L))) (pool (tile_of p)))) Ls))
    = (supply P (tile_of p) - copies (tile_of p) S) * Z.of_nat (length Ls)).
  { clear IH. induction Ls as [|L Ls IH]; intros H; [cbn; lia|]. cbn [flat_map length]. rewrite app_length, map_length.
    rewrite Nat2Z.inj_add, IH by (intros; apply H; now right). rewrite (unused S L p) by (apply H; now left). lia. }
  now apply G.
Qed.

Lemma keys_injective L x y : NoDup (map key L) -> In x L -> In y L -> key x = key y -> x = y.
Proof.
  induction L as [|z L IH]; intros N Hx Hy E; [destruct Hx|]. cbn [map] in N. inversion N as [|? ? Nz N']; subst.
  destruct Hx as [->|Hx], Hy as [->|Hy]; auto; exfalso; apply Nz; [rewrite E|rewrite <- E]; now apply in_map.
Qed.

Lemma labelled_several L : labelled_solution P L <-> solution P (map fst L) /\ In L (labellings (map fst L)).
Proof.
  rewrite labellings_In. split.
  - intros (HS & D & C & _). split; [assumption|]. split; [reflexivity|]. split.
    + intros [p [piece copy]] Hx. cbn [fst snd]. destruct (C p piece copy Hx) as (t & l & h & Et & Er & Bc).
      unfold pool. rewrite Et. apply pool_In. exists piece, l, h. auto.
    + pose proof (ascending_NoDup _ (a_set P _ HS)) as N. clear HS C. induction L as [|[p l] L IH]; [constructor|].
      cbn [map fst] in N |- *. inversion N as [|? ? Np N']; subst. constructor.
      * intros H. apply in_map_iff in H as ([q m] & E & Hq). unfold key in E; cbn [fst snd] in E. injection E as E1 ->.
        apply Np. rewrite (D p q l); [now apply (in_map fst) in Hq|now left|now right|congruence].
      * apply IH; [|assumption]. intros a b m Ha Hb. apply (D a b m); now right.
  - intros (HS & _ & B & N). split; [assumption|]. split; [|split].
    + intros p q l Hp Hq E. assert (X : (p, l) = (q, l)); [|congruence].
      apply (keys_injective L); try assumption. unfold key; cbn [fst snd]. congruence.
    + intros p piece copy Hp. specialize (B _ Hp). cbn [fst snd] in B. unfold pool in B.
      destruct (nth_error (tiles P) (tile_of p)) as [t|] eqn:E; [|destruct B].
      apply pool_In in B as (n & l & h & -> & Er & Bc). exists t, l, h. auto.
    + intros n t piece l h Et Er. pose proof (tile_is_ok n t Et) as T. unfold tile_ok in T.
      apply andb_true_iff in T as [T1 T]. rewrite !orb_true_iff in T.
      destruct (kept_copies P _ HS n t Et) as [K1 K2].
      assert (Cn : Z.of_nat (length (filter (fun x => Nat.eqb (tile_of (fst x)) n) L)) = copies n (map fst L)).
      { unfold copies. f_equal. clear. induction L as [|x L IH]; [reflexivity|]. cbn. destruct (Nat.eqb (tile_of (fst x)) n); cbn; congruence. }
      destruct T as [[T|T]|T].
      * (* one piece *)
        apply Nat.eqb_eq in T. destruct (ranges t) as [|[l' h'] [|? ?]] eqn:R; try discriminate.
        destruct piece as [|piece]; [|destruct piece; discriminate]. injection Er as <- <-.
        unfold low in K1. rewrite R in K1. cbn in K1.
        replace (length (filter (fun x => Nat.eqb (tile_of (fst x)) n && Nat.eqb (fst (snd x)) 0) L))
          with (length (filter (fun x => Nat.eqb (tile_of (fst x)) n) L)); [lia|].
        f_equal. apply filter_ext_in. intros [p [i c]] Hx. cbn [fst snd]. destruct (Nat.eqb (tile_of p) n) eqn:E; [|reflexivity].
        apply Nat.eqb_eq in E. specialize (B _ Hx). cbn [fst snd] in B. unfold pool in B. rewrite E, Et, R in B.
        apply pool_In in B as ([|k] & ? & ? & -> & Ek & _); [reflexivity|]. destruct k; discriminate.
      * (* no requirement *)
        rewrite forallb_forall in T. apply nth_error_In in Er. specialize (T _ Er). apply Z.leb_le in T. cbn [fst] in T. lia.
      * (* all copies are used, so all labels are used *)
        assert (Hi : high t = Some (Z.of_nat (length (pool n)))).
        { unfold high, pool. rewrite Et. now apply pool_length. }
        rewrite Hi in T, K2. apply Z.eqb_eq in T. cbn in K2.
        rewrite forallb_forall in T1. specialize (T1 _ (nth_error_In _ _ Er)). cbn [fst snd] in T1.
        destruct h as [h|]; [|discriminate]. apply andb_true_iff in T1 as [H0 Hl]. apply Z.leb_le in H0, Hl.
        assert (All : incl (pool n) (map snd (filter (fun x => Nat.eqb (tile_of (fst x)) n) L))).
        { apply NoDup_length_incl.
          - clear - N. induction L as [|x L IH]; [constructor|]. cbn [map] in N. inversion N as [|? ? Nx N']; subst. cbn [filter].
            destruct (Nat.eqb (tile_of (fst x)) n) eqn:E; [|now apply IH]. cbn [map]. constructor; [|now apply IH].
            intros H. apply Nx. apply in_map_iff in H as (y & Ey & Hy). apply filter_In in Hy as [Hy Ty].
            apply Nat.eqb_eq in E, Ty. apply in_map_iff. exists y. split; [unfold key; congruence|assumption].
          - rewrite map_length. lia.
          - intros m Hm. apply in_map_iff in Hm as (x & <- & Hx). apply filter_In in Hx as [Hx Tx].
            apply Nat.eqb_eq in Tx. rewrite <- Tx. now apply B. }
        assert (M : (length (map (fun j => (piece, Z.of_nat j)) (seq 0 (Z.to_nat h))) <=
          length (map snd (filter (fun x => Nat.eqb (tile_of (fst x)) n && Nat.eqb (fst (snd x)) piece) L)))%nat).
        { apply NoDup_incl_length.
          - apply FinFun.Injective_map_NoDup; [intros a b [= E]; lia|apply seq_NoDup].
          - intros m Hm. apply in_map_iff in Hm as (j & <- & Hj). apply in_seq in Hj.
            assert (Hp : In (piece, Z.of_nat j) (pool n)).
            { unfold pool. rewrite Et. apply pool_In. exists piece, l, h. split; [reflexivity|]. split; [assumption|]. lia. }
            apply All, in_map_iff in Hp as (x & Ex & Hx). apply filter_In in Hx as [Hx Tx].
            apply in_map_iff. exists x. split; [assumption|]. apply filter_In. split; [assumption|].
            apply andb_true_iff. split; [exact Tx|]. apply Nat.eqb_eq. exact (f_equal fst Ex). }
        rewrite !map_length, seq_length in M. lia.
Qed.

(** So the number of labelled solutions is the sum, over all solutions, of the ways to label each. *)
Theorem labelled_sum l : NoDup l -> (forall S, In S l <-> solution P S) -> all_labelled P (sum (map (ways P) l)).
Proof.
  intros N E. exists (flat_map labellings l). split; [|split].
  - apply NoDup_flat_map; [assumption|intros; apply labellings_NoDup|].
    intros S T L _ _ HS HT. apply labellings_In in HS as [<- _], HT as [<- _]. reflexivity.
  - rewrite length_flat_map. f_equal. apply map_ext. intros S. apply ways_labellings.
  - intros L. rewrite labelled_several, in_flat_map. split.
    + intros (S & HS & HL). pose proof HL as HL'. apply labellings_In in HL' as [<- _]. split; [now apply E|assumption].
    + intros [HS HL]. exists (map fst L). split; [now apply E|assumption].
Qed.
End Several.

(** If there is no solution, there is no labelled solution. *)
Lemma labelled_none P : all_solutions P 0 -> all_labelled P 0.
Proof.
  intros ([|S l] & _ & L & E); [|discriminate]. exists []. split; [constructor|]. split; [reflexivity|].
  intros M. split; [intros []|]. intros [HS _]. apply E in HS. destruct HS.
Qed.

(** ** Symmetries keep the number of ways to label *)

Lemma copies_Permutation n S T : Permutation S T -> copies n S = copies n T.
Proof.
  intros E. unfold copies. f_equal. apply Permutation_length.
  induction E; cbn; repeat match goal with |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb a b) end;
    eauto using Permutation_trans, Permutation_refl, perm_swap.
Qed.

Lemma ways_Permutation P S T : Permutation S T -> ways P S = ways P T.
Proof.
  induction 1 as [|p S T E IH|p q S|S T U _ IH1 _ IH2]; cbn [ways].
  - reflexivity.
  - now rewrite IH, (copies_Permutation _ S T E).
  - unfold copies. cbn [filter]. rewrite (Nat.eqb_sym (tile_of q) (tile_of p)). destruct (Nat.eqb (tile_of p) (tile_of q)) eqn:E; [|lia].
    apply Nat.eqb_eq in E. rewrite E. reflexivity.
  - congruence.
Qed.

Lemma ways_mapped P (e : list nat) (f : placement -> placement) S : NoDup e ->
  (forall n m, nth_error e n = Some m -> supply P n = supply P m) ->
  (forall p, In p S -> nth_error e (tile_of p) = Some (tile_of (f p))) -> ways P (map f S) = ways P S.
Proof.
  intros N Su. induction S as [|p S IH]; intros T; [reflexivity|]. cbn [map ways].
  rewrite IH by (intros; apply T; now right). rewrite <- (Su _ _ (T p (or_introl eq_refl))).
  assert (C : copies (tile_of (f p)) (map f S) = copies (tile_of p) S); [|now rewrite C].
  unfold copies. f_equal. clear IH Su. induction S as [|q S IH]; [reflexivity|]. cbn [map filter].
  assert (E : Nat.eqb (tile_of (f q)) (tile_of (f p)) = Nat.eqb (tile_of q) (tile_of p)).
  { pose proof (T p (or_introl eq_refl)) as Tp. pose proof (T q (or_intror (or_introl eq_refl))) as Tq. apply eq_iff_eq_true. rewrite !Nat.eqb_eq. split.
    - intros E. apply (proj1 (NoDup_nth_error e) N); [apply nth_error_Some; congruence|congruence].
    - intros E. rewrite E in Tq. congruence. }
  rewrite E. destruct (Nat.eqb (tile_of q) (tile_of p)); cbn [length]; rewrite IH; auto; intros r [<-|Hr]; apply T; cbn; auto.
Qed.

Lemma ways_acted P placements known x S : (forall p, known p = true -> In p placements) ->
  (forall p, In p placements <-> is_placement P p) -> (forall t, In t (tiles P) -> body t <> []) ->
  takes_coverings P placements known x = true -> injective P placements x -> solution P S ->
  ways P (acted (image_of x) S) = ways P S.
Proof.
  intros Kn Pl Bo Sy Inj HS.
  pose proof (exchanged P placements known x Sy) as Ex. apply exchange_ok_spec in Ex as (N & Le & Sp).
  rewrite (ways_Permutation P _ (map (image_of x) S)).
  - apply ways_mapped with (exchanging x); [assumption| |].
    + intros n m E. destruct (Sp n m E) as (t & u & Et & Eu & (_ & H & _)). unfold supply. now rewrite Et, Eu, H.
    + intros p Hp. apply (image_becomes P placements Pl); [|assumption]. now apply Pl, (of_placements P S HS).
  - apply (images_permuted P placements Pl Bo x Inj). exact (is_covering P S HS).
Qed.
