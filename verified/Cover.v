(** * Exact cover with copies

    A cover is a set of options in which no two clash, and each item is covered at least [fewest] and at most [greatest] times. For a
    required atom both are 1; for an optional atom they are 0 and 1; for a tile they are its numbers of copies. *)

From Coq Require Import List ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets.
Import ListNotations.
Open Scope Z_scope.

Record problem (O I : Type) := {
  options : list O;
  items : list I;
  has : O -> I -> bool;       (* true if an option covers an item *)
  fewest : I -> Z;
  greatest : I -> option Z;   (* None: any number *)
  clash : O -> O -> bool;
}.
Arguments options {O I}. Arguments items {O I}. Arguments has {O I}.
Arguments fewest {O I}. Arguments greatest {O I}. Arguments clash {O I}.

Section Cover.
Context {O I : Type} {OO : Order O} {LO : Lawful O}.
Variable pr : problem O I.

(** The number of times that an item is covered. *)
Definition uses (i : I) (S : list O) : Z := Z.of_nat (length (filter (fun o => has pr o i) S)).

Record cover (S : list O) : Prop := {
  once : NoDup S;
  of_options : incl S (options pr);
  as_often : forall i, In i (items pr) -> fewest pr i <= uses i S /\ within (uses i S) (greatest pr i);
  no_clash : forall o p, In o S -> In p S -> o <> p -> clash pr o p = false;
}.

(** Two options are incompatible if no cover has both. *)
Definition incompatible (o p : O) : Prop := forall S, cover S -> In o S -> In p S -> False.

Lemma clash_incompatible o p : o <> p -> clash pr o p = true -> incompatible o p.
Proof. intros D C S HS Ho Hp. rewrite (no_clash S HS o p Ho Hp D) in C. discriminate. Qed.

(** A list without repetition that is inside another is no longer. *)
Lemma uses_incl i S T : NoDup S -> (forall o, In o S -> has pr o i = true -> In o T) -> uses i S <= uses i T.
Proof.
  intros N H. unfold uses. apply Nat2Z.inj_le. apply NoDup_incl_length.
  - now apply NoDup_filter.
  - intros o Ho. apply filter_In in Ho as [Ho C]. apply filter_In. auto.
Qed.

Lemma uses_app i S T : uses i (S ++ T) = uses i S + uses i T.
Proof. unfold uses. rewrite filter_app, app_length. lia. Qed.

Lemma uses_cons i o S : uses i (o :: S) = (if has pr o i then 1 else 0) + uses i S.
Proof. unfold uses. cbn [filter]. destruct (has pr o i); cbn [length]; lia. Qed.

Lemma uses_at_most i S : uses i S <= Z.of_nat (length S).
Proof. unfold uses. apply inj_le. induction S as [|o S IH]; cbn; [lia|]. destruct (has pr o i); cbn; lia. Qed.

(** Two options that cover an item which may be covered only once are incompatible. *)
Lemma full_incompatible i o p : In i (items pr) -> greatest pr i = Some 1 -> o <> p ->
  has pr o i = true -> has pr p i = true -> incompatible o p.
Proof.
  intros Hi G D Ho Hp S HS So Sp. destruct (as_often S HS i Hi) as [_ W]. rewrite G in W. cbn in W.
  assert (uses i [o; p] <= uses i S).
  { apply uses_incl.
    - repeat constructor; cbn; intuition.
    - intros q [<-|[<-|[]]] _; assumption. }
  unfold uses in H at 1. cbn in H. rewrite Ho, Hp in H. cbn in H. lia.
Qed.

(** The order of the options of a cover does not matter. *)
Lemma cover_Permutation S T : Permutation S T -> cover S -> cover T.
Proof.
  intros E [N I' A C]. assert (U : forall i, uses i T = uses i S).
  { intros i. unfold uses. f_equal. apply Permutation_length. clear - E.
    induction E; cbn; try destruct (has pr x i); try destruct (has pr y i); eauto using Permutation_trans, Permutation_refl, perm_swap. }
  split.
  - now apply Permutation_NoDup with S.
  - intros o Ho. apply I'. now apply Permutation_in with T; [apply Permutation_sym|].
  - intros i Hi. rewrite U. auto.
  - intros o p Ho Hp. apply C; (apply Permutation_in with T; [now apply Permutation_sym|assumption]).
Qed.

(** [is_cover] decides whether a list of options is a cover. *)
Definition within_b (n : Z) (h : option Z) : bool := match h with Some h => n <=? h | None => true end.
Definition is_cover (S : list O) : bool :=
  Nat.eqb (length (set_of S)) (length S) &&
  forallb (fun o => member o (options pr)) S &&
  forallb (fun i => (fewest pr i <=? uses i S) && within_b (uses i S) (greatest pr i))%bool (items pr) &&
  forallb (fun o => forallb (fun p => same o p || negb (clash pr o p))%bool S) S.

Lemma is_cover_sound S : is_cover S = true -> cover S.
Proof.
  unfold is_cover. rewrite !Bool.andb_true_iff, !forallb_forall, Nat.eqb_eq. intros [[[N I'] A] C]. split.
  - now apply set_of_length.
  - intros o Ho. now apply member_iff, I'.
  - intros i Hi. specialize (A i Hi). apply Bool.andb_true_iff in A as [L H]. split; [now apply Z.leb_le|].
    unfold within_b in H. destruct (greatest pr i); cbn; [now apply Z.leb_le|trivial].
  - intros o p Ho Hp D. specialize (C o Ho). rewrite forallb_forall in C. specialize (C p Hp).
    apply Bool.orb_true_iff in C as [E|E]; [now apply same_iff in E|]. now apply Bool.negb_true_iff.
Qed.
End Cover.
