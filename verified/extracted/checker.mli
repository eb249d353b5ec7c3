
type nat =
| O
| S of nat

val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val compOpp : comparison -> comparison

val add : nat -> nat -> nat

type positive =
| XI of positive
| XO of positive
| XH

type n =
| N0
| Npos of positive

type z =
| Z0
| Zpos of positive
| Zneg of positive

val eqb : bool -> bool -> bool

module Nat :
 sig
  val pred : nat -> nat

  val eqb : nat -> nat -> bool

  val leb : nat -> nat -> bool

  val ltb : nat -> nat -> bool

  val compare : nat -> nat -> comparison

  val divmod : nat -> nat -> nat -> nat -> nat * nat

  val div : nat -> nat -> nat

  val log2_iter : nat -> nat -> nat -> nat -> nat

  val log2 : nat -> nat
 end

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of positive
  | IsNeg
 end

module Coq_Pos :
 sig
  val succ : positive -> positive

  val add : positive -> positive -> positive

  val add_carry : positive -> positive -> positive

  val pred_double : positive -> positive

  val pred_N : positive -> n

  type mask = Pos.mask =
  | IsNul
  | IsPos of positive
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : positive -> mask

  val sub_mask : positive -> positive -> mask

  val sub_mask_carry : positive -> positive -> mask

  val sub : positive -> positive -> positive

  val mul : positive -> positive -> positive

  val size_nat : positive -> nat

  val compare_cont : comparison -> positive -> positive -> comparison

  val compare : positive -> positive -> comparison

  val eqb : positive -> positive -> bool

  val gcdn : nat -> positive -> positive -> positive

  val gcd : positive -> positive -> positive

  val testbit : positive -> n -> bool

  val iter_op : ('a1 -> 'a1 -> 'a1) -> positive -> 'a1 -> 'a1

  val to_nat : positive -> nat

  val of_succ_nat : nat -> positive
 end

module N :
 sig
  val testbit : n -> n -> bool
 end

module Z :
 sig
  val double : z -> z

  val succ_double : z -> z

  val pred_double : z -> z

  val pos_sub : positive -> positive -> z

  val add : z -> z -> z

  val opp : z -> z

  val succ : z -> z

  val sub : z -> z -> z

  val mul : z -> z -> z

  val compare : z -> z -> comparison

  val leb : z -> z -> bool

  val ltb : z -> z -> bool

  val eqb : z -> z -> bool

  val max : z -> z -> z

  val min : z -> z -> z

  val abs : z -> z

  val to_nat : z -> nat

  val of_nat : nat -> z

  val to_pos : z -> positive

  val pos_div_eucl : positive -> z -> z * z

  val div_eucl : z -> z -> z * z

  val div : z -> z -> z

  val modulo : z -> z -> z

  val odd : z -> bool

  val gcd : z -> z -> z

  val testbit : z -> z -> bool

  val lcm : z -> z -> z
 end

val hd : 'a1 -> 'a1 list -> 'a1

val tl : 'a1 list -> 'a1 list

val nth : nat -> 'a1 list -> 'a1 -> 'a1

val nth_error : 'a1 list -> nat -> 'a1 option

val rev : 'a1 list -> 'a1 list

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val find : ('a1 -> bool) -> 'a1 list -> 'a1 option

val partition : ('a1 -> bool) -> 'a1 list -> 'a1 list * 'a1 list

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

val firstn : nat -> 'a1 list -> 'a1 list

val seq : nat -> nat -> nat list

val repeat : 'a1 -> nat -> 'a1 list

val lsl0 : Uint63.t -> Uint63.t -> Uint63.t

val land0 : Uint63.t -> Uint63.t -> Uint63.t

val lor0 : Uint63.t -> Uint63.t -> Uint63.t

val lxor0 : Uint63.t -> Uint63.t -> Uint63.t

val sub0 : Uint63.t -> Uint63.t -> Uint63.t

val eqb0 : Uint63.t -> Uint63.t -> bool

val leb0 : Uint63.t -> Uint63.t -> bool

val size : nat

val opp0 : Uint63.t -> Uint63.t

val of_pos_rec : nat -> positive -> Uint63.t

val of_pos : positive -> Uint63.t

val of_Z : z -> Uint63.t

type 'a order = 'a -> 'a -> comparison

val compare0 : 'a1 order -> 'a1 -> 'a1 -> comparison

val order_Z : z order

val order_nat : nat order

val order_pair : 'a1 order -> 'a2 order -> ('a1 * 'a2) order

val compare_lists : 'a1 order -> 'a1 list -> 'a1 list -> comparison

val order_list : 'a1 order -> 'a1 list order

type point = z list

type atom = point * nat

val plus : point -> point -> point

val times : z -> point -> point

val product : point -> point -> z

type symmetry = { matrix : point list; image : nat list; shift : point list }

val apply : point list -> point -> point

val move : symmetry -> point -> atom -> atom

type mark = (atom * atom) * z

val side : mark -> atom

val face : mark -> atom

val called : mark -> z

type tile = { body : atom list; marks : mark list; turns : nat list;
              ranges : (z * z option) list }

type placement = nat * (atom list * mark list)

val tile_of : placement -> nat

val covers : placement -> atom list

val shows : placement -> mark list

type rule = { atom_weights : (atom * z) list; tile_weights : z list;
              least : z; most : z; modulus : z; residue : z }

type puzzle = { gram : point list; unit1 : z; cell : (z * point list) list;
                symmetries : symmetry list; tiles : tile list;
                required : atom list; optional : atom list;
                mates : (z * z option) list; fits : (z * z list) list;
                coloured : (atom * z) list; border : z option;
                rules : rule list; fixed : placement list; keep : atom list;
                mirrored : bool }

val dimension : puzzle -> nat

val corners : puzzle -> atom -> point list

val kind : puzzle -> atom -> z option

val basis : nat -> nat -> point

val inner : puzzle -> point -> point -> z

val determinant : point list -> z

val move_mark : symmetry -> point -> mark -> mark

val sum : z list -> z

val copies : nat -> placement list -> z

val low : tile -> z

val high : tile -> z option

val atom_weight : rule -> atom -> z

val weight : rule -> placement -> z

val mirror : point list -> bool

val same : 'a1 order -> 'a1 -> 'a1 -> bool

val member : 'a1 order -> 'a1 -> 'a1 list -> bool

val merge : 'a1 order -> 'a1 list -> 'a1 list -> 'a1 list

val add_run :
  'a1 order -> 'a1 list -> 'a1 list option list -> 'a1 list option list

val set_of : 'a1 order -> 'a1 list -> 'a1 list

type ('k, 'v) index =
| Tip
| Fork of ('k, 'v) index * 'k * 'v * ('k, 'v) index

val find0 : 'a1 order -> 'a1 -> ('a1, 'a2) index -> 'a2 option

val grow : nat -> ('a1 * 'a2) list -> ('a1, 'a2) index * ('a1 * 'a2) list

val index_of : ('a1 * 'a2) list -> ('a1, 'a2) index

type 'a numbered =
| Nothing
| At of 'a numbered * 'a numbered * 'a option

val get : positive -> 'a1 numbered -> 'a1 option

val put : positive -> 'a1 -> 'a1 numbered -> 'a1 numbered

val number_from : positive -> 'a1 list -> 'a1 numbered

type ('o, 'i) problem = { options : 'o list; items : 'i list;
                          has : ('o -> 'i -> bool); fewest : ('i -> z);
                          greatest : ('i -> z option);
                          clash : ('o -> 'o -> bool) }

val within_b : z -> z option -> bool

val shifted : point -> atom -> atom

val shifted_mark : point -> mark -> mark

val minus : point -> point -> point

val zero : nat -> point

type look = atom list * mark list

val turned : puzzle -> tile -> symmetry -> look

val has_dimension : nat -> atom -> bool

val look_has_dimension : nat -> look -> bool

val least_of : point -> point -> point

val home : nat -> look -> point

val at_home : nat -> look -> look

val firsts : 'a1 order -> 'a1 list -> 'a1 list -> 'a1 list

val turns_of : puzzle -> tile -> symmetry list

val looks : puzzle -> tile -> look list

val divided : z -> point -> point

val atoms_at : puzzle -> point -> atom list

val same_kind : puzzle -> atom -> atom -> bool

val face_at_b : puzzle -> atom -> atom -> bool

val cell_ok : puzzle -> bool

val colours_fit_b : puzzle -> look -> bool

val may_meet : puzzle -> z -> z -> bool

val looks_out : puzzle -> (atom -> bool) -> atom -> bool

val border_met_b : puzzle -> (atom -> bool) -> look -> bool

val laid : puzzle -> (atom -> bool) -> look -> atom -> look list

val form_list : puzzle -> atom list

val placements_of : puzzle -> (atom -> bool) -> nat -> tile -> placement list

val placements : puzzle -> (atom -> bool) -> placement list

val data_ok : puzzle -> (atom -> bool) -> bool

val sides_ok : puzzle -> bool

type item =
| Required of atom
| Optional of atom
| Tile of nat

val may_be_beside : puzzle -> mark -> mark -> bool

val marks_clash : puzzle -> mark -> mark -> bool

val placements_clash : puzzle -> placement -> placement -> bool

val tile_low : puzzle -> nat -> z

val tile_high : puzzle -> nat -> z option

val same_point : point -> point -> bool

val same_atom : atom -> atom -> bool

val covers_atom : atom -> atom list -> bool

val covers_item : placement -> item -> bool

val all_items : puzzle -> item list

val problem_of : puzzle -> placement list -> (placement, item) problem

val keeps_b : rule -> placement list -> bool

val keeps_rules : puzzle -> placement list -> bool

val apart : Uint63.t -> Uint63.t -> bool

val without : Uint63.t -> Uint63.t -> Uint63.t

val has_all : Uint63.t -> Uint63.t -> bool

module Trie :
 sig
  type place = bool list * Uint63.t

  type tree =
  | Empty
  | Word of Uint63.t
  | Fork of tree * tree

  type set = tree

  val word : bool list -> set -> Uint63.t

  val mem : place -> set -> bool

  val fork : set -> set -> set

  val diff : set -> set -> set

  val is_empty : set -> bool

  val inside : place -> set -> bool

  val subset : set -> set -> bool

  val union : set -> set -> set

  val put : bool list -> Uint63.t -> set

  val single : place -> set

  type 'a table' =
  | TEmpty
  | TLeaf of (Uint63.t * 'a) list
  | TFork of 'a table' * 'a table'

  type 'a table = 'a table'

  val leaf : bool list -> 'a1 table -> (Uint63.t * 'a1) list

  val entries : place -> 'a1 table -> 'a1 list

  val chosen : (Uint63.t * 'a1) list -> Uint63.t -> 'a1 list -> 'a1 list

  val pick_before : 'a1 table -> set -> 'a1 list -> 'a1 list

  val pick : 'a1 table -> set -> 'a1 list

  val add : bool list -> Uint63.t -> 'a1 -> 'a1 table -> 'a1 table
 end

module Search :
 sig
  type 'i multi = { m_item : 'i; m_spot : Trie.place; m_members : Trie.set;
                    m_most : z }

  val m_spot : 'a1 multi -> Trie.place

  val m_members : 'a1 multi -> Trie.set

  val m_most : 'a1 multi -> z

  type ('o, 'i) row = { id : 'o; number : positive; here : Trie.place;
                        self : Trie.set; kill : Trie.set;
                        contents : Trie.set; singles : Trie.set;
                        tight : 'i multi list }

  val id : ('a1, 'a2) row -> 'a1

  val number : ('a1, 'a2) row -> positive

  val here : ('a1, 'a2) row -> Trie.place

  val self : ('a1, 'a2) row -> Trie.set

  val kill : ('a1, 'a2) row -> Trie.set

  val contents : ('a1, 'a2) row -> Trie.set

  val singles : ('a1, 'a2) row -> Trie.set

  val tight : ('a1, 'a2) row -> 'a2 multi list

  type ('o, 'i) branch = { item : 'i; spot : Trie.place; need : z;
                           most : z option; one : bool;
                           choices : ('o, 'i) row Trie.table }

  val spot : ('a1, 'a2) branch -> Trie.place

  val need : ('a1, 'a2) branch -> z

  val most : ('a1, 'a2) branch -> z option

  val one : ('a1, 'a2) branch -> bool

  val choices : ('a1, 'a2) branch -> ('a1, 'a2) row Trie.table

  type ('o, 'i) row' = ('o, 'i) row

  val ids : ('a1, 'a2) row' list -> 'a1 list

  val count : Trie.place -> ('a1, 'a2) row' list -> z

  val after : ('a1, 'a2) row' -> Trie.set -> ('a1, 'a2) row' list -> Trie.set

  val peel : Trie.set -> ('a1, 'a2) row' list -> Trie.set option

  val is_solution :
    'a1 order -> ('a1 -> 'a1 -> bool) -> Trie.set -> Trie.set -> ('a1, 'a2)
    branch list -> ('a1, 'a2) row' list -> bool

  type ('o, 'i, 'stream, 'a) walk =
    Trie.set -> Trie.set -> ('o, 'i) row' list -> 'stream -> 'a ->
    ('stream * 'a) option

  val ones :
    ('a1, 'a2, 'a3, 'a4) walk -> ('a1, 'a2) row' list -> Trie.set -> Trie.set
    -> ('a1, 'a2) row' list -> 'a3 -> 'a4 -> ('a3 * 'a4) option

  val each :
    ('a1, 'a2, 'a3, 'a4) walk -> bool -> ('a1, 'a2) row' list -> Trie.set ->
    Trie.set -> ('a1, 'a2) row' list -> 'a3 -> 'a4 -> ('a3 * 'a4) option

  val node :
    'a1 order -> ('a1 -> 'a1 -> bool) -> Trie.set -> Trie.set -> ('a1, 'a2)
    branch list -> ('a3 -> (('a1, 'a2) branch * 'a3) option) -> (('a1, 'a2)
    row' list -> 'a4 -> 'a4) -> nat -> Trie.set -> Trie.set -> ('a1, 'a2)
    row' list -> 'a3 -> 'a4 -> ('a3 * 'a4) option

  val remove :
    (('a1, 'a2) row' * ('a1, 'a2) branch) list -> Trie.set -> Trie.set option

  val start :
    ('a1, 'a2) row' list -> Trie.set -> ('a1, 'a2) row' list ->
    (Trie.set * ('a1, 'a2) row' list) option

  val uncovered : Trie.set -> ('a1, 'a2) row' list -> Trie.set

  val search :
    'a1 order -> ('a1 -> 'a1 -> bool) -> Trie.set -> Trie.set -> ('a1, 'a2)
    branch list -> ('a3 -> (('a1, 'a2) branch * 'a3) option) -> (('a1, 'a2)
    row' list -> 'a4 -> 'a4) -> nat -> Trie.set -> ('a1, 'a2) row' list ->
    (('a1, 'a2) row' * ('a1, 'a2) branch) list -> 'a3 -> 'a4 -> ('a3 * 'a4)
    option

  val sorted_out : Trie.set -> Trie.set -> ('a1, 'a2) branch -> bool
 end

type place0 = Trie.place

type set0 = Trie.set

type row0 = (placement, item) Search.row

type branch0 = (placement, item) Search.branch

val place_number : nat -> z -> place0

val depth_for : nat -> nat

val set_of_places : place0 list -> set0

type info = { the_item : item; its_spot : place0; its_members : set0;
              its_low : z; its_high : z option }

type shown = mark * set0

val make_info :
  puzzle -> (placement * place0) list -> (item -> place0) -> item -> info

val single_info : info -> bool

val make_row :
  puzzle -> (placement -> positive) -> info list -> (atom -> shown list) ->
  (placement * place0) -> row0

val make_branch : row0 list -> info -> branch0

val only : (placement * place0) list -> set0 -> (placement -> bool) -> bool

val apart_ok : (placement * place0) list -> placement Trie.table -> bool

val infos_ok : (placement * place0) list -> info list -> bool

val contents_ok : info list -> row0 -> bool

val singles_ok : info list -> row0 -> bool

val row_ok : info list -> row0 -> bool

val choices_ok : row0 list -> branch0 -> bool

val shown_ok : (placement * place0) list -> (atom * shown list) list -> bool

val before : 'a1 order -> 'a1 -> 'a1 -> bool

type act = { by_symmetry : symmetry; by_vector : point; exchanging : nat list }

val goes : act -> atom -> atom

val mark_goes : act -> mark -> mark

val image_of : act -> placement -> placement

val acted : (placement -> placement) -> placement list -> placement list

val alike_sets : 'a1 order -> ('a1 -> 'a1) -> 'a1 list -> bool

val range_same : (z * z option) -> (z * z option) -> bool

val high_same : z option -> z option -> bool

val same_copies_b : tile -> tile -> bool

val universe : puzzle -> placement list -> atom list

val exchange_ok : puzzle -> nat list -> bool

val takes_coverings :
  puzzle -> placement list -> (placement -> bool) -> act -> bool

val composed_on : puzzle -> atom list -> act -> act -> act -> bool

val nothing_on : puzzle -> atom list -> act -> bool

val undone_on : puzzle -> atom list -> act -> act -> bool

val is_group_on : puzzle -> atom list -> act list -> bool

val is_group : puzzle -> placement list -> act list -> bool

val residue0 : z -> z -> z

val add_values : z -> z list -> z list -> z list

val with_copies : z -> z list -> z -> nat -> nat -> z list -> z list

val reached : z -> ((z list * z) * nat) list -> z list -> z list

val value : (atom -> z) -> placement -> z

val form_value : puzzle -> (atom -> z) -> z

val of_tile : placement list -> nat -> placement list

val tile_values :
  puzzle -> (atom -> z) -> placement list -> nat -> (z list * z) * nat

val too_heavy : puzzle -> (atom -> z) -> z -> placement list -> bool

val exact_copies : puzzle -> nat -> z option

val free_weight : puzzle -> rule -> nat -> z

val bound_weight : puzzle -> rule -> nat -> z

val always_added : puzzle -> rule -> z

val subtracted : puzzle -> rule -> rule

val least_in : z list -> z

val most_in : z list -> z

val most_copies : puzzle -> placement list -> nat -> z

val tile_reach : puzzle -> placement list -> (placement -> z) -> nat -> z * z

val reach : puzzle -> placement list -> (placement -> z) -> z * z

type saying =
| Always
| Never
| Between of (placement -> z) * z * z * z
| Modulo of (placement -> z) * z * z

val read_between :
  puzzle -> placement list -> (placement -> z) -> z -> z -> saying

val read_modulo : placement list -> (placement -> z) -> z -> z -> saying

val read : puzzle -> placement list -> rule -> saying

val bound_items : puzzle -> placement list -> item list

val dot : bool list -> z list -> z

val combined : z -> z list -> z -> z list -> z list

val lessened : z list -> z -> z list * z

val first_hit :
  bool list -> z list list -> z list list -> ((z list * z) * z list list)
  option

val pivots :
  (placement * bool list) list -> z list list -> (placement * (z list * z))
  list -> (placement * (z list * z)) list

val find_pivots : puzzle -> placement list -> (placement * (z list * z)) list

val common_multiple : (placement * (z list * z)) list -> z

val item_weights :
  puzzle -> placement list -> (placement * (z list * z)) list -> z ->
  (placement -> z) -> (item * z) list

val weighed : (item * z) list -> placement -> z

val signed_divisor : z list -> z

val canonical :
  puzzle -> placement list -> (placement * (z list * z)) list -> saying ->
  saying

type told =
| Bounds of z list * z * z * z
| Rest of z list * z * z

val tell : placement list -> saying -> told list

val all_pairs : (z -> z -> bool) -> z list -> z list -> bool

val units : z -> z list

val same_told : told -> told -> bool

val is_never : saying -> bool

val same_said : placement list -> (bool * told list) -> saying list -> bool

val tell_all : placement list -> saying list -> bool * told list

val said_after : act -> saying -> saying

val keepers : puzzle -> placement list -> act list -> act -> bool

val order_int : Uint63.t order

type counts = { count_found : z; count_all : z; count_labelled : z;
                count_distinct : z; unrefuted : act list }

val none_yet : act list -> counts

val not_refuted : ('a1 -> act -> bool) -> 'a1 -> act list -> act list

val first_of : 'a1 order -> 'a1 -> 'a1 list -> 'a1

val set_before : 'a1 order -> 'a1 -> 'a1 list -> 'a1 list -> 'a1 -> bool

type image0 = Uint63.t * bool

val column : image0 list list -> image0 list

val none_before :
  'a1 list -> image0 list list -> Uint63.t list -> Uint63.t -> bool

val all_keys : 'a1 list -> image0 list list -> Uint63.t list list

val images_of : ('a1 -> 'a2 -> image0) -> 'a1 list -> 'a2 -> image0 list

val coded :
  (placement -> Uint63.t) -> (placement -> bool) -> placement -> image0

val entry :
  act list -> (placement -> Uint63.t) -> (placement -> bool) -> placement ->
  Uint63.t * image0 list

val entries_least : act list -> (Uint63.t * image0 list) list -> bool

val entries_size : act list -> (Uint63.t * image0 list) list -> z

type tables = { its_placements : placement list; known : (placement -> bool);
                place_of : (placement -> place0); spot_of : (item -> place0);
                number_of : (placement -> positive); rows : row0 list;
                branches : branch0 list }

val gather : 'a1 order -> ('a1 * 'a2) list -> ('a1 * 'a2 list) list

val numbers : 'a1 list -> ('a1 * z) list

val all_shown :
  (z -> place0) -> (placement * z) list -> (atom * shown list) list

val prepare : puzzle -> tables option

val corner : atom list -> point

val firsts_of : puzzle -> placement list -> (nat * placement option) list

val find_act :
  puzzle -> tables -> (nat * placement option) list -> symmetry -> act

val find_motions : puzzle -> tables -> act list

val sorted_motions : puzzle -> tables -> act list * act list

val all_found : puzzle -> tables -> bool

val forall_below : nat -> (nat -> bool) -> bool

val lattice_b : puzzle -> bool

val same_members : 'a1 order -> 'a1 list -> 'a1 list -> bool

val taken_by : puzzle -> symmetry -> point -> nat -> bool

val translations : puzzle -> symmetry -> point list

val isometry_b : puzzle -> symmetry -> bool

val is_atom_b : puzzle -> atom -> bool

val places_differ_b : puzzle -> bool

val translated : puzzle -> point -> nat -> bool

val of_the_lattice : puzzle -> point -> bool

val missing_translation : puzzle -> point option

val is_grid_b : puzzle -> bool

val single_copies : puzzle -> bool

val tile_ok : tile -> bool

val labels_ok : puzzle -> bool

val supply : puzzle -> nat -> z

val ways : puzzle -> placement list -> z

val range : z -> z list

val box : nat -> z list -> point list

val bound_ok : puzzle -> z -> bool

val transposed : nat -> point list -> point list

val choose : point list list -> point list list

val images_of0 : puzzle -> z -> nat -> point list

val keeps_products : puzzle -> point list -> bool

val matrices : puzzle -> z -> point list list

val takes_atoms_b : puzzle -> symmetry -> bool

val target : puzzle -> point list -> point -> nat -> point list

val atoms_there : puzzle -> point list -> point -> nat -> atom list

val is_stated : puzzle -> point list -> point -> bool

val motion_known : puzzle -> point list -> point -> bool

val complete_within : puzzle -> z -> bool

val complete_b : puzzle -> bool

type single0 =
| Single_tile of nat
| Single_atom of atom

type hints = { kept : (single0 * z list) option; removals : (z * z) list;
               starved : bool; weights : ((z * z) list * z) option }

type 'stream outcome = { placements_found : nat;
                         symmetries_found : symmetry list;
                         perhaps_symmetries : symmetry list;
                         solutions_found : z; counted_labelled : z option;
                         counted_all : z; counted_distinct : z option;
                         rest : 'stream }

val numbered_things : 'a1 list -> (z, 'a1) index

val starved_branch : branch0 list -> set0 option -> branch0 option

val its : single0 -> placement -> bool

val used_once : puzzle -> single0 -> bool

val kept_ok :
  puzzle -> act list -> placement list -> single0 -> placement list -> bool

val weight_of : puzzle -> (z * z) list -> atom -> z

val outweighed : puzzle -> tables -> (z * z) list -> z -> set0 option -> bool

val allowed_by : hints -> placement list -> placement -> bool

val code_of : tables -> placement -> Uint63.t

val single_branch : branch0 -> bool

val full_set : branch0 list -> set0

val spare_set : branch0 list -> set0

val is_right : puzzle -> row0 list -> bool

val refuted_by : puzzle -> row0 list -> act -> bool

val at_leaf :
  puzzle -> act list -> (row0 -> Uint63.t * image0 list) -> bool -> row0 list
  -> counts -> counts

val count_labelled_if : puzzle -> counts -> z option

val count_distinct_if : puzzle -> tables -> counts -> z option

val accept :
  puzzle -> hints -> ('a1 -> (positive * 'a1) option) -> 'a1 -> 'a1 outcome
  option
