(** * Finite sets as ascending lists: the laws of orders, and sorting *)

From Coq Require Import List ZArith Sorted Permutation Lia.
From PuzzleSat Require Import Statement.
Import ListNotations.

Class Lawful (A : Type) `{Order A} := {
  compare_eq : forall x y : A, compare x y = Eq <-> x = y;
  compare_opp : forall x y : A, compare y x = CompOpp (compare x y);
  compare_lt : forall x y z : A, compare x y = Lt -> compare y z = Lt -> compare x z = Lt;
}.

Lemma compare_refl {A} `{Lawful A} (x : A) : compare x x = Eq.
Proof. now apply compare_eq. Qed.

Global Instance lawful_Z : Lawful Z.
Proof.
  split; unfold compare, order_Z; intros.
  - apply Z.compare_eq_iff.
  - apply Z.compare_antisym.
  - rewrite Z.compare_lt_iff in *; lia.
Qed.

Global Instance lawful_nat : Lawful nat.
Proof.
  split; unfold compare, order_nat; intros.
  - apply Nat.compare_eq_iff.
  - apply Nat.compare_antisym.
  - rewrite Nat.compare_lt_iff in *; lia.
Qed.

Global Instance lawful_pair {A B} `{Lawful A} `{Lawful B} : Lawful (A * B).
Proof.
  assert (U : forall x y : A * B, compare x y = match compare (fst x) (fst y) with Eq => compare (snd x) (snd y) | c => c end)
    by reflexivity.
  split.
  - intros [a b] [c d]; rewrite U; cbn [fst snd]. destruct (compare a c) eqn:E.
    + apply compare_eq in E as ->. rewrite compare_eq. split; congruence.
    + split; [discriminate|]. intros [= -> ->]. now rewrite compare_refl in E.
    + split; [discriminate|]. intros [= -> ->]. now rewrite compare_refl in E.
  - intros [a b] [c d]; rewrite !U; cbn [fst snd]. rewrite (compare_opp a c). destruct (compare a c); cbn; auto. apply compare_opp.
  - intros [a b] [c d] [e f]; rewrite !U; cbn [fst snd]. destruct (compare a c) eqn:E; try discriminate.
    + apply compare_eq in E as ->. destruct (compare c e); auto. apply compare_lt.
    + destruct (compare c e) eqn:F; try discriminate; intros _.
      * apply compare_eq in F as ->. now rewrite E.
      * now rewrite (compare_lt _ _ _ E F).
Qed.

Global Instance lawful_list {A} `{Lawful A} : Lawful (list A).
Proof.
  split; unfold compare, order_list.
  - induction x as [|a x IH]; intros [|b y]; cbn; try (split; congruence).
    destruct (compare a b) eqn:E.
    + apply compare_eq in E as ->. rewrite IH. split; congruence.
    + split; [discriminate|]. intros [= -> ->]. now rewrite compare_refl in E.
    + split; [discriminate|]. intros [= -> ->]. now rewrite compare_refl in E.
  - induction x as [|a x IH]; intros [|b y]; cbn; auto. rewrite (compare_opp a b). destruct (compare a b); cbn; auto.
  - induction x as [|a x IH]; intros [|b y] [|c z]; cbn; try discriminate; auto.
    destruct (compare a b) eqn:E; try discriminate.
    + apply compare_eq in E as ->. destruct (compare b c); auto. apply IH.
    + destruct (compare b c) eqn:F; try discriminate; intros _.
      * apply compare_eq in F as ->. now rewrite E.
      * now rewrite (compare_lt _ _ _ E F).
Qed.

(** Equality is decidable, and so is membership in a list. *)
Definition same {A} `{Order A} (x y : A) : bool := match compare x y with Eq => true | _ => false end.
Definition member {A} `{Order A} (x : A) (l : list A) : bool := existsb (same x) l.

Section Lists.
Context {A : Type} {OA : Order A} {LA : Lawful A}.
Implicit Types (x y : A) (l m : list A).

Lemma same_iff x y : same x y = true <-> x = y.
Proof. unfold same. rewrite <- compare_eq. destruct (compare x y); split; congruence. Qed.

Lemma member_iff x l : member x l = true <-> In x l.
Proof.
  unfold member. rewrite existsb_exists. split.
  - intros (y & Hy & E). now apply same_iff in E as ->.
  - intros Hx. exists x. split; [assumption|]. now apply same_iff.
Qed.

Definition equal_dec x y : {x = y} + {x <> y}.
Proof.
  destruct (same x y) eqn:E; [left|right]; [now apply same_iff|].
  intros F. apply same_iff in F. congruence.
Defined.

(** Sets with the same members are the same. *)
Lemma ascending_NoDup l : ascending l -> NoDup l.
Proof.
  induction 1 as [|x l _ IH H]; constructor; auto.
  intros Hx. rewrite Forall_forall in H. specialize (H x Hx). now rewrite compare_refl in H.
Qed.

Lemma ascending_unique l m : ascending l -> ascending m -> (forall x, In x l <-> In x m) -> l = m.
Proof.
  intros Hl. revert m. induction Hl as [|x l Hl IH H]; intros m Hm E.
  - destruct m as [|y m]; [reflexivity|]. destruct (proj2 (E y)); now left.
  - destruct Hm as [|y m Hm G]. { destruct (proj1 (E x)); now left. }
    rewrite Forall_forall in H, G.
    assert (x = y) as ->.
    { destruct (proj1 (E x) (or_introl eq_refl)) as [|Hx]; [congruence|].
      destruct (proj2 (E y) (or_introl eq_refl)) as [|Hy]; [congruence|].
      specialize (G _ Hx). specialize (H _ Hy). rewrite compare_opp, G in H. discriminate. }
    f_equal. apply IH; [assumption|]. intros z. split; intros Hz.
    + destruct (proj1 (E z) (or_intror Hz)) as [->|]; [|assumption]. specialize (H _ Hz). now rewrite compare_refl in H.
    + destruct (proj2 (E z) (or_intror Hz)) as [->|]; [|assumption]. specialize (G _ Hz). now rewrite compare_refl in G.
Qed.

Lemma is_set_unique l m (P : A -> Prop) : is_set l P -> is_set m P -> l = m.
Proof. intros [? E] [? F]. apply ascending_unique; auto. intros x. now rewrite E, F. Qed.

(** Merging two sets, and sorting by merging ever longer ones: [runs] holds sets of 1, 2, 4, … things. *)
Fixpoint merge l : list A -> list A :=
  match l with
  | [] => fun m => m
  | x :: l' => fix right m := match m with
    | [] => x :: l'
    | y :: m' => match compare x y with
      | Lt => x :: merge l' m
      | Eq => x :: merge l' m'
      | Gt => y :: right m'
      end
    end
  end.

Fixpoint add_run l (runs : list (option (list A))) : list (option (list A)) :=
  match runs with
  | [] => [Some l]
  | None :: runs => Some l :: runs
  | Some m :: runs => None :: add_run (merge m l) runs
  end.

Definition set_of l : list A :=
  fold_left (fun all run => match run with None => all | Some m => merge m all end)
    (fold_left (fun runs x => add_run [x] runs) l []) [].

Lemma merge_spec l m : ascending l -> ascending m -> ascending (merge l m) /\ forall x, In x (merge l m) <-> In x l \/ In x m.
Proof.
  intros Hl. revert m. induction Hl as [|x l Hl IH H]; intros m Hm. { cbn. split; [assumption|]. tauto. }
  rewrite Forall_forall in H. induction Hm as [|y m Hm IHm G]. { cbn. split; [|tauto]. constructor; [assumption|]. now apply Forall_forall. }
  cbn [merge]. rewrite Forall_forall in G. destruct (compare x y) eqn:E.
  - apply compare_eq in E as ->. destruct (IH m Hm) as [S I]. split.
    + constructor; [assumption|]. apply Forall_forall. intros z Hz. apply I in Hz as []; auto.
    + intros z. cbn. rewrite I. tauto.
  - assert (Hy : ascending (y :: m)). { constructor; [assumption|]. now apply Forall_forall. }
    destruct (IH (y :: m) Hy) as [S I]. split.
    + constructor; [assumption|]. apply Forall_forall. intros z Hz. apply I in Hz as [|[<-|Hz]]; auto.
      apply compare_lt with y; auto.
    + intros z. cbn [In]. rewrite I. cbn. tauto.
  - destruct IHm as [S I]. fold (merge (x :: l) m) in *. split.
    + constructor; [assumption|]. apply Forall_forall. intros z Hz. apply I in Hz.
      assert (F : compare y x = Lt) by now rewrite compare_opp, E.
      destruct Hz as [[<-|Hz]|]; auto. apply compare_lt with x; auto.
    + intros z. change (In z (y :: merge (x :: l) m) <-> In z (x :: l) \/ In z (y :: m)). cbn [In]. rewrite I. cbn. tauto.
Qed.

Definition run_members (runs : list (option (list A))) x := exists l, In (Some l) runs /\ In x l.
Definition runs_ascend (runs : list (option (list A))) := forall l, In (Some l) runs -> ascending l.

Lemma add_run_spec runs : forall l, ascending l -> runs_ascend runs ->
  runs_ascend (add_run l runs) /\ forall x, run_members (add_run l runs) x <-> In x l \/ run_members runs x.
Proof.
  unfold runs_ascend, run_members. induction runs as [|[m|] runs IH]; intros l Hl HR; cbn.
  - split. { intros k [[= <-]|[]]; assumption. }
    intros x. split. { intros (k & [[= <-]|[]] & Hx). now left. } intros [Hx|(k & [] & _)]. exists l. auto.
  - destruct (merge_spec m l) as [S I]; [apply HR; now left|assumption|].
    destruct (IH (merge m l) S) as [S' I']. { intros k Hk. apply HR. now right. }
    split. { intros k [|Hk]; [discriminate|]. auto. }
    intros x. transitivity (exists k, In (Some k) (add_run (merge m l) runs) /\ In x k).
    { split; [intros (k & [|Hk] & Hx); [discriminate|eauto]|intros (k & Hk & Hx); eauto]. }
    rewrite I', I. split.
    + intros [[Hx|Hx]|(k & Hk & Hx)]; eauto.
    + intros [Hx|(k & [[= ->]|Hk] & Hx)]; eauto.
  - split. { intros k [[= <-]|Hk]; [assumption|]. apply HR. now right. }
    intros x. split.
    + intros (k & [[= <-]|Hk] & Hx); eauto.
    + intros [Hx|(k & [|Hk] & Hx)]; try discriminate; eauto.
Qed.

Lemma set_of_set l : is_set (set_of l) (fun x => In x l).
Proof.
  assert (R : forall l runs, runs_ascend runs -> let all := fold_left (fun runs x => add_run [x] runs) l runs in
    runs_ascend all /\ forall x, run_members all x <-> In x l \/ run_members runs x).
  { clear l. induction l as [|a l IH]; intros runs HR; cbn.
    - split; [assumption|]. tauto.
    - destruct (add_run_spec runs [a]) as [S I]; [repeat constructor|assumption|].
      destruct (IH _ S) as [S' I']. split; [assumption|]. intros x. rewrite I', I. cbn. tauto. }
  assert (M : forall runs m, runs_ascend runs -> ascending m ->
    is_set (fold_left (fun all run => match run with None => all | Some m => merge m all end) runs m)
      (fun x => run_members runs x \/ In x m)).
  { unfold runs_ascend, run_members, is_set. clear l R. induction runs as [|[k|] runs IH]; intros m HR Hm; cbn.
    - split; [assumption|]. intros x. split; [auto|]. intros [(k & [] & _)|]; auto.
    - destruct (merge_spec k m) as [S I]; [apply HR; now left|assumption|].
      destruct (IH (merge k m)) as [S' I']; [intros; apply HR; now right|assumption|].
      split; [assumption|]. intros x. rewrite I', I. split.
      + intros [(j & Hj & Hx)|[Hx|Hx]]; eauto.
      + intros [(j & [[= ->]|Hj] & Hx)|Hx]; eauto.
    - destruct (IH m) as [S' I']; [intros; apply HR; now right|assumption|].
      split; [assumption|]. intros x. rewrite I'. split.
      + intros [(j & Hj & Hx)|Hx]; eauto.
      + intros [(j & [|Hj] & Hx)|Hx]; try discriminate; eauto. }
  unfold set_of. destruct (R l []) as [S I]. { intros k []. }
  destruct (M _ [] S) as [S' I']; [constructor|]. split; [assumption|].
  intros x. rewrite I', I. cbn. split; [|auto]. intros [[|(k & [] & _)]|[]]; assumption.
Qed.

Lemma set_of_ascending l : ascending (set_of l).
Proof. apply set_of_set. Qed.

Lemma set_of_In x l : In x (set_of l) <-> In x l.
Proof. apply set_of_set. Qed.

Lemma is_set_set_of l (P : A -> Prop) : (forall x, In x l <-> P x) -> is_set (set_of l) P.
Proof. intros E. split; [apply set_of_ascending|]. intros x. now rewrite set_of_In. Qed.

Lemma set_of_same l m : (forall x, In x l <-> In x m) -> set_of l = set_of m.
Proof. intros E. apply ascending_unique; try apply set_of_ascending. intros x. now rewrite !set_of_In. Qed.

Lemma set_of_id l : ascending l -> set_of l = l.
Proof. intros H. apply ascending_unique; [apply set_of_ascending|assumption|]. intros x. apply set_of_In. Qed.

(** A list that is as long as its set has no repetitions. *)
Lemma set_of_length l : length (set_of l) = length l -> NoDup l.
Proof.
  intros E. apply NoDup_incl_NoDup with (l := set_of l).
  - apply ascending_NoDup, set_of_ascending.
  - lia.
  - intros x. now rewrite set_of_In.
Qed.
End Lists.
