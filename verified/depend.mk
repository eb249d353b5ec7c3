Statement.vo Statement.glob Statement.v.beautified Statement.required_vo: Statement.v 
Statement.vio: Statement.v 
Sets.vo Sets.glob Sets.v.beautified Sets.required_vo: Sets.v Statement.vo
Sets.vio: Sets.v Statement.vio
Find.vo Find.glob Find.v.beautified Find.required_vo: Find.v Statement.vo Sets.vo
Find.vio: Find.v Statement.vio Sets.vio
Trie.vo Trie.glob Trie.v.beautified Trie.required_vo: Trie.v 
Trie.vio: Trie.v 
Cover.vo Cover.glob Cover.v.beautified Cover.required_vo: Cover.v Statement.vo Sets.vo
Cover.vio: Cover.v Statement.vio Sets.vio
Tree.vo Tree.glob Tree.v.beautified Tree.required_vo: Tree.v Statement.vo Sets.vo Cover.vo Trie.vo
Tree.vio: Tree.v Statement.vio Sets.vio Cover.vio Trie.vio
Orbits.vo Orbits.glob Orbits.v.beautified Orbits.required_vo: Orbits.v Statement.vo Sets.vo
Orbits.vio: Orbits.v Statement.vio Sets.vio
Geometry.vo Geometry.glob Geometry.v.beautified Geometry.required_vo: Geometry.v Statement.vo Sets.vo Find.vo
Geometry.vio: Geometry.v Statement.vio Sets.vio Find.vio
Covers.vo Covers.glob Covers.v.beautified Covers.required_vo: Covers.v Statement.vo Sets.vo Cover.vo
Covers.vio: Covers.v Statement.vio Sets.vio Cover.vio
Symmetry.vo Symmetry.glob Symmetry.v.beautified Symmetry.required_vo: Symmetry.v Statement.vo Sets.vo Covers.vo Orbits.vo
Symmetry.vio: Symmetry.v Statement.vio Sets.vio Covers.vio Orbits.vio
Counting.vo Counting.glob Counting.v.beautified Counting.required_vo: Counting.v Statement.vo Sets.vo Symmetry.vo Orbits.vo
Counting.vio: Counting.v Statement.vio Sets.vio Symmetry.vio Orbits.vio
Tables.vo Tables.glob Tables.v.beautified Tables.required_vo: Tables.v Statement.vo Sets.vo Find.vo Cover.vo Covers.vo Trie.vo Tree.vo
Tables.vio: Tables.v Statement.vio Sets.vio Find.vio Cover.vio Covers.vio Trie.vio Tree.vio
Prepare.vo Prepare.glob Prepare.v.beautified Prepare.required_vo: Prepare.v Statement.vo Sets.vo Find.vo Cover.vo Geometry.vo Covers.vo Trie.vo Tree.vo Tables.vo
Prepare.vio: Prepare.v Statement.vio Sets.vio Find.vio Cover.vio Geometry.vio Covers.vio Trie.vio Tree.vio Tables.vio
Distinct.vo Distinct.glob Distinct.v.beautified Distinct.required_vo: Distinct.v Statement.vo Sets.vo Find.vo Cover.vo Geometry.vo Covers.vo Trie.vo Tree.vo Tables.vo Symmetry.vo Prepare.vo
Distinct.vio: Distinct.v Statement.vio Sets.vio Find.vio Cover.vio Geometry.vio Covers.vio Trie.vio Tree.vio Tables.vio Symmetry.vio Prepare.vio
Grid.vo Grid.glob Grid.v.beautified Grid.required_vo: Grid.v Statement.vo Sets.vo Geometry.vo
Grid.vio: Grid.v Statement.vio Sets.vio Geometry.vio
Vectors.vo Vectors.glob Vectors.v.beautified Vectors.required_vo: Vectors.v Statement.vo Sets.vo Geometry.vo Grid.vo
Vectors.vio: Vectors.v Statement.vio Sets.vio Geometry.vio Grid.vio
Complete.vo Complete.glob Complete.v.beautified Complete.required_vo: Complete.v Statement.vo Sets.vo Geometry.vo Grid.vo Vectors.vo
Complete.vio: Complete.v Statement.vio Sets.vio Geometry.vio Grid.vio Vectors.vio
Labels.vo Labels.glob Labels.v.beautified Labels.required_vo: Labels.v Statement.vo Sets.vo Trie.vo Symmetry.vo Orbits.vo
Labels.vio: Labels.v Statement.vio Sets.vio Trie.vio Symmetry.vio Orbits.vio
Weighting.vo Weighting.glob Weighting.v.beautified Weighting.required_vo: Weighting.v Statement.vo Sets.vo Find.vo Covers.vo Symmetry.vo Geometry.vo
Weighting.vio: Weighting.v Statement.vio Sets.vio Find.vio Covers.vio Symmetry.vio Geometry.vio
Accept.vo Accept.glob Accept.v.beautified Accept.required_vo: Accept.v Statement.vo Sets.vo Find.vo Cover.vo Geometry.vo Covers.vo Trie.vo Tree.vo Tables.vo Symmetry.vo Orbits.vo Counting.vo Prepare.vo Distinct.vo Grid.vo Labels.vo Weighting.vo Complete.vo
Accept.vio: Accept.v Statement.vio Sets.vio Find.vio Cover.vio Geometry.vio Covers.vio Trie.vio Tree.vio Tables.vio Symmetry.vio Orbits.vio Counting.vio Prepare.vio Distinct.vio Grid.vio Labels.vio Weighting.vio Complete.vio
Assumptions.vo Assumptions.glob Assumptions.v.beautified Assumptions.required_vo: Assumptions.v Accept.vo
Assumptions.vio: Assumptions.v Accept.vio
Extract.vo Extract.glob Extract.v.beautified Extract.required_vo: Extract.v Statement.vo Accept.vo
Extract.vio: Extract.v Statement.vio Accept.vio
