(** * Efficient sets of options: binary trees with words of 63 bits at their leaves

    [Tree] uses sets only through the signature [SETS]. A difference of sets must keep every place of the first set that is not in the
    second. It need remove only the places that are wholly inside the second; that is enough to find nothing twice. *)

From Coq Require Import List Bool ZArith Uint63.
Import ListNotations.

Lemma NoDup_behind {A} (l m : list A) : NoDup (l ++ m) -> NoDup m.
Proof. induction l; [auto|]. inversion 1; auto. Qed.

Lemma NoDup_app_both {A} (l m : list A) : NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
Proof.
  induction 1 as [|x l Hx N IH]; intros M D; cbn; [assumption|]. constructor.
  - rewrite in_app_iff. intros [|]; [contradiction|]. apply (D x); [now left|assumption].
  - apply IH; [assumption|]. intros y Hy. apply D. now right.
Qed.

Lemma NoDup_apart {A} (l m : list A) : NoDup (l ++ m) -> NoDup l /\ NoDup m /\ forall x, In x l -> ~ In x m.
Proof.
  induction l as [|x l IH]; cbn [app]; intros N; [split; [constructor|auto]|]. inversion N as [|? ? Hx N']; subst.
  rewrite in_app_iff in Hx. destruct (IH N') as (L & M & D). split; [constructor; tauto|]. split; [assumption|].
  intros y [<-|Hy]; [tauto|auto].
Qed.

Module Type SETS.
  Parameter place set : Type.
  Parameter mem : place -> set -> bool.
  Parameter diff : set -> set -> set.
  Parameter is_empty : set -> bool.
  Axiom mem_diff : forall x s t, mem x s = true -> mem x t = false -> mem x (diff s t) = true.
  Axiom mem_empty : forall x s, is_empty s = true -> mem x s = false.
  Axiom mem_subset : forall x s t, mem x (diff s t) = true -> mem x s = true.
  (** If whole places are removed, it is decidable whether a set contains such a place. *)
  Parameter inside : place -> set -> bool.
  Axiom mem_inside : forall x s t, inside x t = true -> mem x (diff s t) = false.
  Parameter subset : set -> set -> bool.
  Axiom subset_mem : forall x s t, subset s t = true -> mem x s = true -> mem x t = true.
  (** A table has things at places; [pick] finds those at the places of a set. *)
  Parameter table : Type -> Type.
  Parameter entries : forall A, place -> table A -> list A.
  Parameter all : forall A, table A -> list A.
  Parameter pick : forall A, table A -> set -> list A.
  Axiom pick_entries : forall A x (t : table A) s a, In a (entries A x t) -> mem x s = true -> In a (pick A t s).
  Axiom pick_all : forall A (t : table A) s a, In a (pick A t s) -> In a (all A t).
  Axiom pick_from : forall A (t : table A) s a, In a (pick A t s) -> exists x, In a (entries A x t) /\ mem x s = true.
  Axiom pick_once : forall A B (f : A -> B) (t : table A) s, NoDup (map f (all A t)) -> NoDup (map f (pick A t s)).
End SETS.

(** ** Words *)

Definition apart (a b : int) : bool := (a land b =? 0)%uint63.

Lemma apart_iff a b : apart a b = true <-> forall n, (0 <= n)%Z -> Z.testbit (to_Z a) n && Z.testbit (to_Z b) n = false.
Proof.
  unfold apart. rewrite eqb_spec. split.
  - intros E n Hn. rewrite <- Z.land_spec, <- land_spec', E. apply Z.bits_0.
  - intros E. apply to_Z_inj. rewrite land_spec'. apply Z.bits_inj'. intros n Hn. rewrite Z.land_spec, E by assumption.
    symmetry. apply Z.bits_0.
Qed.

(** The bits of [a] that are not in [b]. *)
Definition without (a b : int) : int := (a lxor (a land b))%uint63.

Lemma without_apart a b m : apart b m = true -> apart (without a b) m = true -> apart a m = true.
Proof.
  rewrite !apart_iff. intros B W n Hn. specialize (B n Hn). specialize (W n Hn). revert B W. unfold without.
  rewrite lxor_spec', land_spec', Z.lxor_spec, Z.land_spec.
  destruct (Z.testbit (to_Z a) n), (Z.testbit (to_Z b) n), (Z.testbit (to_Z m) n); auto.
Qed.

Lemma lor_apart a b m : apart a m = true -> apart b m = true -> apart (a lor b)%uint63 m = true.
Proof.
  rewrite !apart_iff. intros A B n Hn. specialize (A n Hn). specialize (B n Hn). revert A B.
  rewrite lor_spec', Z.lor_spec.
  destruct (Z.testbit (to_Z a) n), (Z.testbit (to_Z b) n), (Z.testbit (to_Z m) n); auto.
Qed.

Lemma apart_sym a b : apart a b = apart b a.
Proof.
  apply Bool.eq_iff_eq_true. rewrite !apart_iff.
  split; intros E n Hn; rewrite andb_comm; auto.
Qed.

Lemma without_less a b m : apart a m = true -> apart (without a b) m = true.
Proof.
  rewrite !apart_iff. intros A n Hn. specialize (A n Hn). revert A. unfold without.
  rewrite lxor_spec', land_spec', Z.lxor_spec, Z.land_spec.
  destruct (Z.testbit (to_Z a) n), (Z.testbit (to_Z b) n), (Z.testbit (to_Z m) n); auto.
Qed.

(** True if all bits of [m] are in [b]. *)
Definition has_all (b m : int) : bool := (b land m =? m)%uint63.

Lemma has_all_iff b m : has_all b m = true <-> forall n, (0 <= n)%Z -> Z.testbit (to_Z m) n = true -> Z.testbit (to_Z b) n = true.
Proof.
  unfold has_all. rewrite eqb_spec. split.
  - intros E n Hn M. rewrite <- E, land_spec', Z.land_spec in M. now apply andb_true_iff in M.
  - intros E. apply to_Z_inj. rewrite land_spec'. apply Z.bits_inj'. intros n Hn. rewrite Z.land_spec.
    specialize (E n Hn). destruct (Z.testbit (to_Z m) n); [now rewrite E|apply andb_false_r].
Qed.

Lemma without_all a b m : has_all b m = true -> apart (without a b) m = true.
Proof.
  rewrite has_all_iff, apart_iff. intros H n Hn. specialize (H n Hn). unfold without.
  rewrite lxor_spec', land_spec', Z.lxor_spec, Z.land_spec.
  destruct (Z.testbit (to_Z m) n); [rewrite H by reflexivity; now destruct (Z.testbit (to_Z a) n)|apply andb_false_r].
Qed.

Lemma all_apart a b m : has_all b a = true -> apart b m = true -> apart a m = true.
Proof.
  rewrite has_all_iff, !apart_iff. intros H B n Hn. specialize (H n Hn). specialize (B n Hn).
  destruct (Z.testbit (to_Z a) n); [now rewrite H in B by reflexivity|reflexivity].
Qed.

Lemma has_all_0 b m : has_all 0%uint63 m = true -> apart b m = true.
Proof.
  rewrite has_all_iff, apart_iff. intros H n Hn. specialize (H n Hn). change (to_Z 0) with 0%Z in H. rewrite Z.bits_0 in H.
  destruct (Z.testbit (to_Z m) n); [now discriminate H|apply andb_false_r].
Qed.

Module Trie <: SETS.
  (** A place is the path to a leaf, and a bit there. *)
  Definition place : Type := list bool * int.
  Inductive tree := Empty | Word (w : int) | Fork (l r : tree).
  Definition set : Type := tree.

  Fixpoint word (way : list bool) (s : set) : int :=
    match s, way with
    | Word w, [] => w
    | Fork l r, b :: way => word way (if b then r else l)
    | _, _ => 0%uint63
    end.
  Definition mem (x : place) (s : set) : bool := negb (apart (word (fst x) s) (snd x)).

  Definition fork (l r : set) : set := match l, r with Empty, Empty => Empty | _, _ => Fork l r end.

  Fixpoint diff (s t : set) : set :=
    match s, t with
    | Fork l r, Fork l' r' => fork (diff l l') (diff r r')
    | Word a, Word b => let w := without a b in if (w =? 0)%uint63 then Empty else Word w
    | _, _ => s
    end.

  Definition is_empty (s : set) : bool := match s with Empty => true | _ => false end.

  Lemma apart_0 m : apart 0%uint63 m = true.
  Proof. apply apart_iff. intros n _. change (to_Z 0) with 0%Z. now rewrite Z.bits_0. Qed.

  Lemma word_fork b way l r : word (b :: way) (fork l r) = word way (if b then r else l).
  Proof. destruct l, r, b, way; reflexivity. Qed.

  Lemma mem_diff x s t : mem x s = true -> mem x t = false -> mem x (diff s t) = true.
  Proof.
    unfold mem. destruct x as [way m]; cbn [fst snd]. rewrite negb_false_iff, !negb_true_iff.
    revert t way. induction s as [|a|l IHl r IHr]; intros [|b|l' r'] way S T; auto.
    - cbn [diff]. destruct (without a b =? 0)%uint63 eqn:E; destruct way as [|c way]; cbn [word] in *;
        try (now rewrite apart_0 in S).
      + apply eqb_spec in E. rewrite <- not_true_iff_false in *. intros _. apply S, (without_apart a b); auto.
        rewrite E. apply apart_0.
      + rewrite <- not_true_iff_false in *. intros F. apply S. now apply (without_apart a b).
    - cbn [diff]. destruct way as [|[] way]; cbn [word] in S, T.
      + now rewrite apart_0 in S.
      + rewrite word_fork. auto.
      + rewrite word_fork. auto.
  Qed.

  Lemma mem_empty x s : is_empty s = true -> mem x s = false.
  Proof.
    destruct s; try discriminate. intros _. unfold mem. destruct (fst x); cbn [word]; now rewrite apart_0.
  Qed.

  Lemma mem_subset x s t : mem x (diff s t) = true -> mem x s = true.
  Proof.
    unfold mem. destruct x as [way m]; cbn [fst snd]. rewrite !negb_true_iff, <- !not_true_iff_false. intros D S. apply D. clear D.
    revert t way S. induction s as [|a|l IHl r IHr]; intros [|b|l' r'] way S; auto.
    - cbn [diff]. destruct (without a b =? 0)%uint63; [destruct way; apply apart_0|].
      destruct way; cbn [word] in *; [now apply without_less|apply apart_0].
    - cbn [diff]. destruct way as [|[] way]; [|rewrite word_fork; now apply IHr|rewrite word_fork; now apply IHl].
      unfold fork. destruct (diff l l'), (diff r r'); apply apart_0.
  Qed.

  Definition inside (x : place) (s : set) : bool := has_all (word (fst x) s) (snd x).

  Lemma mem_inside x s t : inside x t = true -> mem x (diff s t) = false.
  Proof.
    unfold mem, inside. destruct x as [way m]; cbn [fst snd]. rewrite negb_false_iff.
    revert t way. induction s as [|a|l IHl r IHr]; intros [|b|l' r'] way T;
      try (destruct way; solve [apply apart_0|now apply has_all_0]).
    - cbn [diff]. destruct (without a b =? 0)%uint63; [destruct way; apply apart_0|].
      destruct way; cbn [word] in *; [now apply without_all|apply apart_0].
    - cbn [diff]. destruct way as [|[] way]; [|rewrite word_fork; now apply IHr|rewrite word_fork; now apply IHl].
      unfold fork. destruct (diff l l'), (diff r r'); apply apart_0.
  Qed.

  Fixpoint subset (s t : set) : bool :=
    match s, t with
    | Empty, _ => true
    | Word a, Word b => has_all b a
    | Fork l r, Fork l' r' => subset l l' && subset r r'
    | _, _ => false
    end.

  Lemma subset_mem x s t : subset s t = true -> mem x s = true -> mem x t = true.
  Proof.
    unfold mem. destruct x as [way m]; cbn [fst snd]. rewrite !negb_true_iff, <- !not_true_iff_false. intros D S T. apply S. clear S.
    revert t way D T. induction s as [|a|l IHl r IHr]; intros [|b|l' r'] way D T; try discriminate D;
      try (destruct way; apply apart_0).
    - destruct way; [now apply all_apart with b|apply apart_0].
    - cbn [subset] in D. apply andb_true_iff in D as [D1 D2]. destruct way as [|[] way]; cbn [word] in *; [apply apart_0|eauto..].
  Qed.

  (** Union, and the set of one place. *)
  Fixpoint union (s t : set) : set :=
    match s, t with
    | Empty, _ => t
    | Fork l r, Fork l' r' => Fork (union l l') (union r r')
    | Word a, Word b => Word (a lor b)%uint63
    | _, _ => s
    end.

  Lemma mem_union x s t : mem x (union s t) = true -> mem x s = true \/ mem x t = true.
  Proof.
    unfold mem. destruct x as [way m]; cbn [fst snd]. rewrite !negb_true_iff.
    revert t way. induction s as [|a|l IHl r IHr]; intros [|b|l' r'] [|[] way] E; cbn [union word] in *; auto.
    destruct (apart a m) eqn:A; auto. destruct (apart b m) eqn:B; auto. right. now rewrite <- E, lor_apart.
  Qed.

  Fixpoint put (way : list bool) (w : int) : set :=
    match way with
    | [] => Word w
    | true :: way => Fork Empty (put way w)
    | false :: way => Fork (put way w) Empty
    end.
  Definition single (x : place) : set := put (fst x) (snd x).

  Lemma mem_single x y : mem x (single y) = true -> fst x = fst y /\ apart (snd x) (snd y) = false.
  Proof.
    unfold mem, single. destruct x as [way m], y as [way' m']; cbn [fst snd]. rewrite negb_true_iff.
    revert way. induction way' as [|[] way' IH]; intros [|[] way] E; cbn [put word] in *; try (now rewrite apart_0 in E).
    - now rewrite apart_sym.
    - destruct (IH way E) as [-> ?]. auto.
    - destruct way; cbn [word] in E; now rewrite apart_0 in E.
    - destruct way; cbn [word] in E; now rewrite apart_0 in E.
    - destruct (IH way E) as [-> ?]. auto.
  Qed.

  (** Tables: each leaf has a list of pairs of bits and a thing. *)
  Inductive table' (A : Type) := TEmpty | TLeaf (l : list (int * A)) | TFork (l r : table' A).
  Arguments TEmpty {A}. Arguments TLeaf {A} l. Arguments TFork {A} l r.
  Definition table := table'.

  Fixpoint leaf {A} (way : list bool) (t : table A) : list (int * A) :=
    match t, way with
    | TLeaf l, [] => l
    | TFork l r, b :: way => leaf way (if b then r else l)
    | _, _ => []
    end.
  Definition entries A (x : place) (t : table A) : list A :=
    map snd (filter (fun e => (fst e =? snd x)%uint63) (leaf (fst x) t)).

  Fixpoint all A (t : table A) : list A :=
    match t with TEmpty => [] | TLeaf l => map snd l | TFork l r => all A l ++ all A r end.

  (** Put the things of a leaf that have a bit in the word in front of [more]. *)
  Fixpoint chosen {A} (l : list (int * A)) (w : int) (more : list A) : list A :=
    match l with
    | [] => more
    | (m, a) :: l => if apart w m then chosen l w more else a :: chosen l w more
    end.
  Fixpoint pick_before {A} (t : table A) (s : set) (more : list A) : list A :=
    match t, s with
    | TLeaf l, Word w => chosen l w more
    | TFork l r, Fork sl sr => pick_before l sl (pick_before r sr more)
    | _, _ => more
    end.
  Definition pick A (t : table A) (s : set) : list A := pick_before t s [].

  Lemma chosen_In {A} (l : list (int * A)) w more a :
    In a (chosen l w more) <-> In a more \/ exists m, In (m, a) l /\ apart w m = false.
  Proof.
    induction l as [|[m b] l IH]; cbn [chosen In].
    - split; [auto|]. intros [|(m & [] & _)]; assumption.
    - destruct (apart w m) eqn:E.
      + rewrite IH. split.
        * intros [|(n & ? & ?)]; [auto|right; eauto].
        * intros [|(n & [[= <- <-]|] & ?)]; [auto|congruence|right; eauto].
      + cbn [In]. rewrite IH. split.
        * intros [<-|[|(n & ? & ?)]]; [right; eauto|auto|right; eauto].
        * intros [|(n & [[= <- <-]|] & ?)]; [auto|auto|right; right; eauto].
  Qed.

  Lemma pick_before_more {A} (t : table A) : forall s more a, In a more -> In a (pick_before t s more).
  Proof.
    induction t; intros [] more a H; cbn; auto.
    apply chosen_In. auto.
  Qed.

  Lemma pick_entries A x (t : table A) s a : In a (entries A x t) -> mem x s = true -> In a (pick A t s).
  Proof.
    unfold entries, mem, pick. destruct x as [way m]; cbn [fst snd]. rewrite in_map_iff, negb_true_iff.
    intros ([m' b] & <- & H) M. cbn [snd]. apply filter_In in H as [H E]. cbn [fst] in E. apply eqb_spec in E as ->.
    generalize (@nil A) as more. revert s way H M.
    induction t as [|l|l IHl r IHr]; intros [|w|sl sr] [|c way] H M more; cbn [leaf word] in *;
      try contradiction; try (now rewrite apart_0 in M).
    - cbn [pick_before]. apply chosen_In. right. eauto.
    - cbn [pick_before]. destruct c; [apply pick_before_more|]; eauto.
  Qed.

  Lemma pick_all A (t : table A) s a : In a (pick A t s) -> In a (all A t).
  Proof.
    unfold pick. assert (G : forall t s more, In a (pick_before t s more) -> In a more \/ In a (all A t)).
    { clear. induction t as [|l|l IHl r IHr]; intros [|w|sl sr] more H; cbn in *; auto.
      - apply chosen_In in H as [|(m & H & _)]; auto. right. change a with (snd (m, a)). now apply in_map.
      - rewrite in_app_iff. destruct (IHl _ _ H) as [H'|]; auto. destruct (IHr _ _ H'); auto. }
    intros H. destruct (G _ _ _ H) as [[]|]; assumption.
  Qed.

  Lemma pick_from A (t : table A) s a : In a (pick A t s) -> exists x, In a (entries A x t) /\ mem x s = true.
  Proof.
    assert (G : forall (t : table A) s more, In a (pick_before t s more) -> In a more \/
      exists way m, In (m, a) (leaf way t) /\ apart (word way s) m = false).
    { clear. induction t as [|l|l IHl r IHr]; intros [|w|sl sr] more H; cbn [pick_before] in H; auto.
      - apply chosen_In in H as [|(m & H & D)]; auto. right. exists [], m. auto.
      - apply IHl in H as [H|(way & m & H & D)]; [apply IHr in H as [H|(way & m & H & D)]; [now left|]|]; right.
        + exists (true :: way), m. auto.
        + exists (false :: way), m. auto. }
    intros H. apply G in H as [[]|(way & m & H & D)]. exists (way, m). unfold entries, mem. cbn [fst snd]. split.
    - apply in_map_iff. exists (m, a). split; [reflexivity|]. apply filter_In. split; [assumption|]. apply eqb_refl.
    - now rewrite D.
  Qed.

  Lemma pick_once A B (f : A -> B) (t : table A) s : NoDup (map f (all A t)) -> NoDup (map f (pick A t s)).
  Proof.
    assert (Ch : forall (l : list (int * A)) w more, NoDup (map f (map snd l) ++ map f more) -> NoDup (map f (chosen l w more)) /\
      incl (map f (chosen l w more)) (map f (map snd l) ++ map f more)).
    { clear. induction l as [|[m a] l IH]; intros w more N; cbn [chosen map app snd] in *; [split; [assumption|apply incl_refl]|].
      inversion N as [|? ? Na N']; subst. destruct (IH w more N') as [X Y]. destruct (apart w m).
      - split; [assumption|]. now apply incl_tl.
      - cbn [map]. split; [constructor; [|assumption]; intros H; now apply Na, Y|]. intros b [<-|H]; [now left|right; auto]. }
    assert (G : forall (t : table A) s more, NoDup (map f (all A t) ++ map f more) -> NoDup (map f (pick_before t s more)) /\
      incl (map f (pick_before t s more)) (map f (all A t) ++ map f more)).
    { clear - Ch. induction t as [|l|l IHl r IHr]; intros s more N; cbn [all map app] in N; rewrite ?map_app, <- ?app_assoc in N.
      - destruct s; split; auto; apply incl_refl.
      - destruct s as [|w|sl sr]; [|apply (Ch l w more N)|]; (split; [now apply NoDup_behind in N|apply incl_appr, incl_refl]).
      - destruct s as [|w|sl sr]; try (split; [now do 2 apply NoDup_behind in N|apply incl_appr, incl_refl]).
        cbn [pick_before all map]. destruct (IHr sr more (NoDup_behind _ _ N)) as [X Y].
        destruct (IHl sl (pick_before r sr more)) as [Z W].
        { clear - N X Y. induction (map f (all A l)) as [|b k IH]; cbn [app] in *; [assumption|]. inversion N; subst. constructor; [|now apply IH].
          rewrite in_app_iff in *. intros [|H]; [tauto|]. apply Y in H. tauto. }
        split; [assumption|]. rewrite map_app, <- app_assoc. intros b H. apply W, in_app_iff in H as [H|H]; apply in_app_iff; auto. }
    intros N. apply (G t s []). cbn [map]. now rewrite app_nil_r.
  Qed.

  (** Append a thing to the leaf of a place. *)
  Fixpoint add {A} (way : list bool) (m : int) (a : A) (t : table A) : table A :=
    match way with
    | [] => TLeaf (match t with TLeaf l => l ++ [(m, a)] | _ => [(m, a)] end)
    | b :: way =>
      let '(l, r) := match t with TFork l r => (l, r) | _ => (TEmpty, TEmpty) end in
      if b then TFork l (add way m a r) else TFork (add way m a l) r
    end.

  Lemma add_all {A} way m (a : A) : forall t b, In b (all A (add way m a t)) -> b = a \/ In b (all A t).
  Proof.
    induction way as [|c way IH]; intros t b; cbn [add].
    - destruct t; cbn; try (rewrite map_app, in_app_iff; cbn); intuition.
    - destruct t as [| |l r], c; cbn [all]; rewrite ?in_app_iff; cbn; intros H; try destruct H as [H|H]; auto;
        try (apply IH in H as [|H]; auto); destruct H.
  Qed.

  Lemma add_once {A B} (f : A -> B) (way : list bool) m (a : A) : forall t,
    NoDup (f a :: map f (all A t)) -> NoDup (map f (all A (add way m a t))).
  Proof.
    assert (One : NoDup [f a]) by (repeat constructor; auto).
    induction way as [|c way IH]; intros t N; cbn [add].
    - destruct t as [|l|]; try exact One. cbn [all map] in *. rewrite !map_app. cbn [map snd]. inversion N as [|? ? Na N']; subst.
      apply NoDup_app_both; [assumption|exact One|]. intros x Hx [<-|[]]. contradiction.
    - assert (Alone : NoDup (map f (all A (add way m a TEmpty)))) by now apply IH.
      destruct t as [| |l r]; try (destruct c; cbn [all]; rewrite ?app_nil_r; assumption).
      cbn [all] in N. rewrite map_app in N. inversion N as [|? ? Na N']; subst. rewrite in_app_iff in Na.
      destruct (NoDup_apart _ _ N') as (L & R & D).
      assert (In1 : forall t x, In x (map f (all A (add way m a t))) -> x = f a \/ In x (map f (all A t))).
      { intros t x Hx. apply in_map_iff in Hx as (b & <- & Hb). apply add_all in Hb as [->|Hb]; [now left|right]. now apply in_map. }
      destruct c; cbn [all]; rewrite map_app; (apply NoDup_app_both; [auto|auto|]); try (apply IH; constructor; tauto).
      + intros x Hx H. apply In1 in H as [->|H]; [tauto|]. now apply (D x).
      + intros x Hx H. apply In1 in Hx as [->|Hx]; [tauto|]. now apply (D x).
  Qed.

  Lemma add_entries {A} (way : list bool) m (a : A) : forall t x b, In b (entries A x (add way m a t)) ->
    (b = a /\ x = (way, m)) \/ In b (entries A x t).
  Proof.
    intros t [way' m'] b. unfold entries. cbn [fst snd]. rewrite !in_map_iff. intros ([n c] & <- & H). apply filter_In in H as [H E].
    cbn [fst snd] in *. apply eqb_spec in E as ->.
    assert (G : In (m', c) (leaf way' (add way m a t)) -> (c = a /\ (way', m') = (way, m)) \/ In (m', c) (leaf way' t)).
    { clear H. revert t way'. induction way as [|d way IH]; intros t [|d' way']; cbn [add leaf].
      - destruct t as [|l|]; cbn [leaf]; rewrite ?in_app_iff; cbn [In]; intros H; repeat destruct H as [H|H]; auto; try contradiction H;
          injection H as <- <-; auto.
      - intros [].
      - destruct t as [| |l r], d; cbn [leaf In]; auto; intros [].
      - destruct t as [| |l r], d, d'; cbn [leaf]; intros H; auto; try (apply IH in H as [[-> [= -> ->]]|H]; auto);
          destruct way'; contradiction H. }
    apply G in H as [[-> E]|H]; [left; auto|right]. exists (m', c). split; [reflexivity|]. apply filter_In. split; [assumption|]. apply eqb_refl.
  Qed.
End Trie.
