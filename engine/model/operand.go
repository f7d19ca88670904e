package model

// What every operation reads, writes and multiplies by. Operations in place both
// read and write their operand.

func (o *Embed) Reads(d []Ref) []Ref    { return d }
func (o *Norm) Reads(d []Ref) []Ref     { return append(d, o.In) }
func (o *MatMul) Reads(d []Ref) []Ref   { return append(d, o.In) }
func (o *Rope) Reads(d []Ref) []Ref     { return append(d, o.X) }
func (o *Sharpen) Reads(d []Ref) []Ref  { return append(d, o.X) }
func (o *Store) Reads(d []Ref) []Ref    { return append(d, o.K, o.V) }
func (o *Attend) Reads(d []Ref) []Ref   { return append(d, o.Q) }
func (o *Add) Reads(d []Ref) []Ref      { return append(d, o.A, o.B) }
func (o *Scale) Reads(d []Ref) []Ref    { return append(d, o.In) }
func (o *Activate) Reads(d []Ref) []Ref { return append(d, o.In) }
func (o *Gate) Reads(d []Ref) []Ref     { return append(d, o.Gate, o.Up) }
func (o *SoftCap) Reads(d []Ref) []Ref  { return append(d, o.X) }
func (o *Route) Reads(d []Ref) []Ref    { return append(d, o.Scores) }
func (o *Experts) Reads(d []Ref) []Ref  { return append(d, o.In, o.IDs, o.Weights) }
func (o *Select) Reads(d []Ref) []Ref   { return append(d, o.In) }
func (o *Give) Reads(d []Ref) []Ref     { return append(d, o.Refs...) }
func (o *Take) Reads(d []Ref) []Ref     { return d }
func (o *Conv) Reads(d []Ref) []Ref     { return append(d, o.In) }
func (o *DeltaNet) Reads(d []Ref) []Ref { return append(d, o.Q, o.K, o.V, o.Alpha, o.Beta) }

func (o *Embed) Writes(d []Ref) []Ref    { return append(d, o.Out) }
func (o *Norm) Writes(d []Ref) []Ref     { return append(d, o.Out) }
func (o *MatMul) Writes(d []Ref) []Ref   { return append(d, o.Out) }
func (o *Rope) Writes(d []Ref) []Ref     { return append(d, o.X) }
func (o *Sharpen) Writes(d []Ref) []Ref  { return append(d, o.X) }
func (o *Store) Writes(d []Ref) []Ref    { return d }
func (o *Attend) Writes(d []Ref) []Ref   { return append(d, o.Out) }
func (o *Add) Writes(d []Ref) []Ref      { return append(d, o.Out) }
func (o *Scale) Writes(d []Ref) []Ref    { return append(d, o.Out) }
func (o *Activate) Writes(d []Ref) []Ref { return append(d, o.Out) }
func (o *Gate) Writes(d []Ref) []Ref     { return append(d, o.Out) }
func (o *SoftCap) Writes(d []Ref) []Ref  { return append(d, o.X) }
func (o *Route) Writes(d []Ref) []Ref    { return append(d, o.IDs, o.Weights) }
func (o *Experts) Writes(d []Ref) []Ref  { return append(d, o.Out) }
func (o *Select) Writes(d []Ref) []Ref   { return append(d, o.Out) }
func (o *Give) Writes(d []Ref) []Ref     { return d }
func (o *Take) Writes(d []Ref) []Ref     { return append(d, o.Refs...) }
func (o *Conv) Writes(d []Ref) []Ref     { return append(d, o.Out) }
func (o *DeltaNet) Writes(d []Ref) []Ref { return append(d, o.Out) }

func (o *Embed) Matrices(d []*Matrix) []*Matrix    { return append(d, o.Table) }
func (o *Norm) Matrices(d []*Matrix) []*Matrix     { return d }
func (o *MatMul) Matrices(d []*Matrix) []*Matrix   { return append(d, o.W) }
func (o *Rope) Matrices(d []*Matrix) []*Matrix     { return d }
func (o *Sharpen) Matrices(d []*Matrix) []*Matrix  { return d }
func (o *Store) Matrices(d []*Matrix) []*Matrix    { return d }
func (o *Attend) Matrices(d []*Matrix) []*Matrix   { return d }
func (o *Add) Matrices(d []*Matrix) []*Matrix      { return d }
func (o *Scale) Matrices(d []*Matrix) []*Matrix    { return d }
func (o *Activate) Matrices(d []*Matrix) []*Matrix { return d }
func (o *Gate) Matrices(d []*Matrix) []*Matrix     { return d }
func (o *SoftCap) Matrices(d []*Matrix) []*Matrix  { return d }
func (o *Route) Matrices(d []*Matrix) []*Matrix    { return d }
func (o *Experts) Matrices(d []*Matrix) []*Matrix  { return append(d, o.Gate, o.Up, o.Down) }
func (o *Select) Matrices(d []*Matrix) []*Matrix   { return d }
func (o *Give) Matrices(d []*Matrix) []*Matrix     { return d }
func (o *Take) Matrices(d []*Matrix) []*Matrix     { return d }
func (o *Conv) Matrices(d []*Matrix) []*Matrix     { return d }
func (o *DeltaNet) Matrices(d []*Matrix) []*Matrix { return d }
