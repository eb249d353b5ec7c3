(** * Counting by orbits

    There is a list of [acts] on things with the property [Q], closed under composition and inverses, and a list [F] of the things that
    are [allowed], such that some act takes each thing to a member of [F]. The member of [F] with the least key represents its orbit,
    and each member can be tested alone. The orbits of the representatives count all things. *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets.
Import ListNotations.

Lemma NoDup_map_filter {A B} (f : A -> B) (p : A -> bool) l : NoDup (map f l) -> NoDup (map f (filter p l)).
Proof.
  induction l as [|x l IH]; intros N; [constructor|]. cbn [map] in N. inversion N as [|? ? Nx N']; subst. cbn [filter].
  destruct (p x); [cbn [map]; constructor|]; auto. intros H. apply Nx. apply in_map_iff in H as (y & <- & Hy). apply filter_In in Hy as [Hy _].
  now apply in_map.
Qed.

Section Orbits.
Context {A : Type} {OA : Order A} {LA : Lawful A}.
Context {K : Type} {OK : Order K} {LK : Lawful K}.
Variable acts : list (A -> A).
Variable key : A -> K.
Variable allowed : A -> bool.

Definition orbit (x : A) : list A := set_of (map (fun g => g x) acts).
Definition before (k l : K) : bool := match compare k l with Lt => true | _ => false end.
(** No allowed member of the orbit comes before [x]. *)
Definition least (x : A) : bool := forallb (fun g => negb (allowed (g x) && before (key (g x)) (key x))) acts.
Definition representatives (F : list A) : list A := filter least F.
Definition size (x : A) : Z := Z.of_nat (length (set_of (map (fun g => key (g x)) acts))).

Variable Q : A -> Prop.
Hypothesis acts_keep : forall g x, In g acts -> Q x -> Q (g x).
Hypothesis acts_compose : forall g h, In g acts -> In h acts -> exists k, In k acts /\ forall x, Q x -> k x = g (h x).
Hypothesis acts_undo : forall g, In g acts -> exists h, In h acts /\ forall x, Q x -> h (g x) = x.

Definition related (x y : A) : Prop := exists g, In g acts /\ y = g x.

Lemma orbit_related x y : In y (orbit x) <-> related x y.
Proof.
  unfold orbit, related. rewrite set_of_In, in_map_iff. split; intros (g & ? & ?); exists g; auto.
Qed.

Lemma related_Q x y : Q x -> related x y -> Q y.
Proof. intros Hx (g & Hg & ->). auto. Qed.

Lemma related_back x y : Q x -> related x y -> related y x.
Proof. intros Hx (g & Hg & ->). destruct (acts_undo g Hg) as (h & Hh & E). exists h. split; [assumption|]. now rewrite E. Qed.

Lemma related_on x y z : Q x -> related x y -> related y z -> related x z.
Proof.
  intros Hx (g & Hg & ->) (h & Hh & ->). destruct (acts_compose h g Hh Hg) as (k & Hk & E). exists k. split; [assumption|]. now rewrite E.
Qed.

Hypothesis key_tells : forall x y, Q x -> Q y -> key x = key y -> x = y.

(** An orbit has one key for each member. *)
Lemma size_orbit x : Q x -> size x = Z.of_nat (length (orbit x)).
Proof.
  intros Hx. unfold size. f_equal. rewrite <- (map_length key (orbit x)). apply Permutation.Permutation_length, Permutation.NoDup_Permutation.
  - apply ascending_NoDup, set_of_ascending.
  - assert (N : NoDup (orbit x)) by apply ascending_NoDup, set_of_ascending.
    assert (H : forall y, In y (orbit x) -> Q y) by (intros y Hy; apply orbit_related in Hy; now apply related_Q with x).
    induction N as [|y l Hy N IH]; cbn [map]; constructor.
    + intros E. apply in_map_iff in E as (z & E & Hz). apply key_tells in E; [congruence| |]; apply H; [now right|now left].
    + apply IH. intros z Hz. apply H. now right.
  - intros k. unfold orbit. rewrite set_of_In, !in_map_iff. split.
    + intros (g & <- & Hg). exists (g x). split; [reflexivity|]. apply set_of_In, in_map_iff. eauto.
    + intros (y & <- & Hy). apply set_of_In, in_map_iff in Hy as (g & <- & Hg). eauto.
Qed.

Variable F : list A.
Hypothesis F_once : NoDup F.
Hypothesis F_are : forall x, In x F <-> Q x /\ allowed x = true.
Hypothesis F_enough : forall x, Q x -> exists g, In g acts /\ allowed (g x) = true.

(** Some allowed member has the least key. *)
Lemma some_least x : Q x -> exists y, related x y /\ allowed y = true /\ least y = true.
Proof.
  intros Hx. set (keys := set_of (map key (filter allowed (orbit x)))).
  assert (Ks : forall k, In k keys <-> exists y, related x y /\ allowed y = true /\ k = key y).
  { intros k. unfold keys. rewrite set_of_In, in_map_iff. split.
    - intros (y & <- & Hy). apply filter_In in Hy as [Hy Al]. apply orbit_related in Hy. eauto.
    - intros (y & R & Al & ->). exists y. split; [reflexivity|]. apply filter_In. split; [now apply orbit_related|assumption]. }
  assert (As : ascending keys) by apply set_of_ascending.
  destruct (F_enough x Hx) as (g & Hg & Al). destruct keys as [|k keys'] eqn:E.
  { destruct (proj2 (Ks (key (g x)))). exists (g x). split; [now exists g|auto]. }
  destruct (proj1 (Ks k) (or_introl eq_refl)) as (y & R & Ay & ->). exists y. split; [assumption|]. split; [assumption|].
  apply forallb_forall. intros h Hh. rewrite negb_true_iff, <- not_true_iff_false, andb_true_iff. intros [Ah B].
  assert (In1 : In (key (h y)) (key y :: keys')).
  { apply Ks. exists (h y). split; [|auto]. apply related_on with y; auto. now exists h. }
  unfold before in B. destruct In1 as [Same|In1]; [now rewrite <- Same, compare_refl in B|].
  inversion As as [|? ? _ Lt1]; subst. rewrite Forall_forall in Lt1. specialize (Lt1 _ In1). cbv beta in Lt1.
  rewrite compare_opp, Lt1 in B. discriminate.
Qed.

(** And only one. *)
Lemma least_same x y : Q x -> related x y -> allowed x = true -> allowed y = true -> least x = true -> least y = true -> x = y.
Proof.
  intros Hx R Ax Ay Lx Ly. pose proof (related_back x y Hx R) as R'. pose proof (related_Q x y Hx R) as Hy.
  destruct R as (g & Hg & E), R' as (h & Hh & E'). unfold least in Lx, Ly. rewrite forallb_forall in Lx, Ly.
  specialize (Lx g Hg). specialize (Ly h Hh). rewrite <- E, Ay in Lx. rewrite <- E', Ax in Ly. unfold before in *.
  apply key_tells; try assumption. apply compare_eq. rewrite compare_opp in Lx. destruct (compare (key x) (key y)); [reflexivity|discriminate..].
Qed.

Lemma representative d : In d (representatives F) <-> Q d /\ allowed d = true /\ least d = true.
Proof. unfold representatives. rewrite filter_In, F_are. tauto. Qed.

Lemma length_flat_map {B} (f : A -> list B) l :
  Z.of_nat (length (flat_map f l)) = sum (map (fun x => Z.of_nat (length (f x))) l).
Proof. induction l as [|x l IH]; cbn [flat_map map sum fold_right]; [reflexivity|]. rewrite app_length. unfold sum in IH. lia. Qed.

Lemma NoDup_flat_map {B} (f : A -> list B) l : NoDup l -> (forall x, In x l -> NoDup (f x)) ->
  (forall x y b, In x l -> In y l -> In b (f x) -> In b (f y) -> x = y) -> NoDup (flat_map f l).
Proof.
  induction 1 as [|x l Hx N IH]; intros E D; cbn [flat_map]; [constructor|].
  assert (NF : NoDup (flat_map f l)).
  { apply IH; [intros; apply E; now right|]. intros y z b Hy Hz. apply D; now right. }
  assert (NX : NoDup (f x)) by (apply E; now left).
  assert (X : forall b, In b (f x) -> ~ In b (flat_map f l)).
  { intros b Hb Hf. apply in_flat_map in Hf as (y & Hy & Hby).
    assert (x = y) as -> by (apply (D x y b); cbn; auto). contradiction. }
  clear - NF NX X. induction (f x) as [|b k IH]; cbn; [assumption|]. inversion NX; subst. constructor.
  - rewrite in_app_iff. intros [|]; [contradiction|]. apply (X b); [now left|assumption].
  - apply IH; [assumption|]. intros c Hc. apply X. now right.
Qed.

(** All things, each once. *)
Definition everything : list A := flat_map orbit (representatives F).

Lemma everything_spec : NoDup everything /\ forall x, In x everything <-> Q x.
Proof.
  unfold everything. split.
  - apply NoDup_flat_map.
    + now apply NoDup_filter.
    + intros x _. apply ascending_NoDup, set_of_ascending.
    + intros x y z Hx Hy Zx Zy. apply representative in Hx as (Qx & Ax & Lx), Hy as (Qy & Ay & Ly).
      apply orbit_related in Zx, Zy. apply least_same; try assumption. apply related_on with z; [assumption..|].
      now apply related_back.
  - intros x. rewrite in_flat_map. split.
    + intros (d & Hd & R). apply representative in Hd as (Qd & _). apply related_Q with d; [assumption|]. now apply orbit_related.
    + intros Hx. destruct (some_least x Hx) as (y & R & Ay & Ly). exists y. split.
      * apply representative. split; [now apply related_Q with x|auto].
      * apply orbit_related. now apply related_back.
Qed.

Lemma sum_app l m : sum (l ++ m) = (sum l + sum m)%Z.
Proof. induction l as [|x l IH]; cbn in *; unfold sum in *; lia. Qed.

(** The number of all things, and the sum of a function that is constant on each orbit. *)
Definition total : Z := sum (map size (representatives F)).
Definition total_of (f : A -> Z) : Z := sum (map (fun x => size x * f x)%Z (representatives F)).

Lemma total_of_everything f : (forall g x, In g acts -> Q x -> f (g x) = f x) -> total_of f = sum (map f everything).
Proof.
  intros Same. unfold total_of, everything.
  assert (H : forall d, In d (representatives F) -> Q d) by (intros d Hd; now apply representative in Hd).
  induction (representatives F) as [|d l IH]; [reflexivity|]. cbn [map flat_map].
  rewrite map_app, sum_app, <- IH by (intros; apply H; now right). cbn [sum fold_right map]. unfold sum at 1. f_equal.
  rewrite size_orbit by (apply H; now left).
  assert (E : forall y, In y (orbit d) -> f y = f d).
  { intros y Hy. apply orbit_related in Hy as (g & Hg & ->). apply Same; [assumption|]. apply H. now left. }
  revert E. clear. induction (orbit d) as [|y o IH]; intros E; [reflexivity|]. cbn [map length sum fold_right].
  unfold sum in IH. rewrite <- IH by (intros; apply E; now right). rewrite (E y) by now left. lia.
Qed.

Theorem total_counts : there_are total Q.
Proof.
  destruct everything_spec as [N E]. exists everything. split; [assumption|]. split; [|assumption].
  unfold everything. rewrite length_flat_map. unfold total. f_equal. apply map_ext_in. intros d Hd.
  symmetry. apply size_orbit. now apply representative in Hd.
Qed.

Theorem representatives_count : there_are_up_to related (Z.of_nat (length (representatives F))) Q.
Proof.
  exists (representatives F). split; [now apply NoDup_filter|]. split; [reflexivity|]. split; [|split].
  - intros d Hd. now apply representative in Hd.
  - intros x y Hx Hy R. apply representative in Hx as (Qx & Ax & Lx), Hy as (Qy & Ay & Ly). now apply least_same.
  - intros x Hx. destruct (some_least x Hx) as (y & R & Ay & Ly). exists y. split; [|assumption].
    apply representative. split; [now apply related_Q with x|auto].
Qed.
End Orbits.
