(** * Counting by orbits

    A list of [acts] on things with the property [Q] that is closed under doing one after the other and undoing, and
    some things [F] such that each is taken to one of them by an act: then all are counted by the orbits of [F]. *)

From Coq Require Import List ZArith Lia.
From PuzzleSat Require Import Statement Sets.
Import ListNotations.

Section Orbits.
Context {A : Type} {OA : Order A} {LA : Lawful A}.
Variable acts : list (A -> A).

Definition orbit (x : A) : list A := set_of (map (fun g => g x) acts).
Definition smallest (x : A) : A := hd x (orbit x).
Definition representatives (F : list A) : list A := set_of (map smallest F).
(** The sum of something over all that is in the orbits of [F]. *)
Definition total_of (f : A -> Z) (F : list A) : Z := sum (map (fun x => sum (map f (orbit x))) (representatives F)).
Definition total (F : list A) : Z := sum (map (fun x => Z.of_nat (length (orbit x))) (representatives F)).

Variable Q : A -> Prop.
Hypothesis acts_keep : forall g x, In g acts -> Q x -> Q (g x).
Hypothesis acts_id : exists g, In g acts /\ forall x, Q x -> g x = x.
Hypothesis acts_compose : forall g h, In g acts -> In h acts -> exists k, In k acts /\ forall x, Q x -> k x = g (h x).
Hypothesis acts_undo : forall g, In g acts -> exists h, In h acts /\ forall x, Q x -> h (g x) = x.

Definition related (x y : A) : Prop := exists g, In g acts /\ y = g x.

Lemma orbit_related x y : In y (orbit x) <-> related x y.
Proof.
  unfold orbit, related. rewrite set_of_In, in_map_iff. split; intros (g & ? & ?); exists g; auto.
Qed.

Lemma orbit_same x y : Q x -> related x y -> orbit y = orbit x.
Proof.
  intros Hx (g & Hg & ->). apply ascending_unique; try apply set_of_ascending. intros z. fold (orbit (g x)). fold (orbit x).
  rewrite !orbit_related. split.
  - intros (h & Hh & ->). destruct (acts_compose h g Hh Hg) as (k & Hk & E). exists k. split; [assumption|]. now rewrite E.
  - intros (h & Hh & ->). destruct (acts_undo g Hg) as (u & Hu & E).
    destruct (acts_compose h u Hh Hu) as (k & Hk & E'). exists k. split; [assumption|]. rewrite E', E; auto.
Qed.

Lemma orbit_self x : Q x -> In x (orbit x).
Proof. intros Hx. apply orbit_related. destruct acts_id as (g & Hg & E). exists g. split; [assumption|]. now rewrite E. Qed.

Lemma smallest_related x : Q x -> related x (smallest x).
Proof.
  intros Hx. apply orbit_related. unfold smallest. pose proof (orbit_self x Hx) as H.
  destruct (orbit x); [destruct H|now left].
Qed.

Lemma smallest_same x y : Q x -> related x y -> smallest y = smallest x.
Proof.
  intros Hx R. unfold smallest. rewrite (orbit_same x y Hx R). pose proof (orbit_self x Hx) as H.
  destruct (orbit x); [destruct H|reflexivity].
Qed.

Lemma related_Q x y : Q x -> related x y -> Q y.
Proof. intros Hx (g & Hg & ->). auto. Qed.

Variable F : list A.
Hypothesis F_right : forall x, In x F -> Q x.
Hypothesis F_enough : forall x, Q x -> exists g, In g acts /\ In (g x) F.

(** A representative is the smallest of its own orbit, so two in one orbit are the same. *)
Lemma representative_smallest d : In d (representatives F) -> Q d /\ smallest d = d.
Proof.
  unfold representatives. rewrite set_of_In, in_map_iff. intros (x & <- & Hx). apply F_right in Hx.
  pose proof (smallest_related x Hx) as R. split; [now apply related_Q with x|]. now apply smallest_same.
Qed.

Lemma representative_of x : Q x -> In (smallest x) (representatives F).
Proof.
  intros Hx. destruct (F_enough x Hx) as (g & Hg & Hy). unfold representatives. rewrite set_of_In, in_map_iff.
  exists (g x). split; [|assumption]. apply smallest_same; [assumption|]. now exists g.
Qed.

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
    + apply ascending_NoDup, set_of_ascending.
    + intros x _. apply ascending_NoDup, set_of_ascending.
    + intros x y z Hx Hy Zx Zy. apply representative_smallest in Hx as [Qx <-], Hy as [Qy <-].
      apply orbit_related in Zx, Zy. now rewrite <- (smallest_same x z), <- (smallest_same y z) by assumption.
  - intros x. rewrite in_flat_map. split.
    + intros (d & Hd & R). apply representative_smallest in Hd as [Qd _]. apply related_Q with d; [assumption|].
      now apply orbit_related.
    + intros Hx. exists (smallest x). split; [now apply representative_of|].
      rewrite (orbit_same x); [now apply orbit_self|assumption|]. now apply smallest_related.
Qed.

Lemma sum_app l m : sum (l ++ m) = (sum l + sum m)%Z.
Proof. induction l as [|x l IH]; cbn in *; unfold sum in *; lia. Qed.

Lemma total_of_everything f : total_of f F = sum (map f everything).
Proof.
  unfold total_of, everything. induction (representatives F) as [|d l IH]; [reflexivity|]. cbn [map flat_map].
  rewrite map_app, sum_app, <- IH. reflexivity.
Qed.

Theorem total_counts : there_are (total F) Q.
Proof.
  destruct everything_spec as [N E]. exists everything. split; [assumption|]. split; [|assumption]. apply length_flat_map.
Qed.

Theorem representatives_count : there_are_up_to related (Z.of_nat (length (representatives F))) Q.
Proof.
  exists (representatives F). split; [apply ascending_NoDup, set_of_ascending|]. split; [reflexivity|].
  split; [|split].
  - intros d Hd. now apply representative_smallest.
  - intros x y Hx Hy R. apply representative_smallest in Hx as [Qx Ex], Hy as [Qy Ey].
    rewrite <- Ex, <- Ey. symmetry. now apply smallest_same.
  - intros x Hx. exists (smallest x). split; [now apply representative_of|]. now apply smallest_related.
Qed.
End Orbits.
