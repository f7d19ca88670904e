// The heads that come to attention as the products left them.
#pragma once
#include "feed.cuh"

// Some of an item's heads on their way into shared memory: its queries where the tile at base
// is its first, and those of the step's own keys and values that are of the tile. In a round a
// warp reads up to slots queries and a key or value, all of them before it works on one: a
// trip to memory takes longer than the work.
template <int D, int MT, int slots> struct HeadFeed {
  static constexpr int warps = 4;
  const AttendArgs& a;
  Room<D, MT>& room;
  const Item& item;
  int key_head, group;
  int base, queries, first, fresh;  // first: position of the first of fresh keys and values
  int query, other, cell;           // the warp's first query of the round, its key or value, the cell to keep that
  const HeadJob* job;               // of the key or value
  Head<D / 64> head[slots + 1];

  __device__ __forceinline__ HeadFeed(const AttendArgs& a, Room<D, MT>& room, const Item& item, int key_head, int base)
      : a(a), room(room), item(item), key_head(key_head), group(a.group), base(base) {
    queries = base == item.from ? item.rows * group : 0;
    first = max(item.fresh, base);
    fresh = a.k.x ? 2 * max(0, min(item.to, base + positions) - first) : 0;
    query = threadIdx.x >> 5;
    other = (query - queries) & 3;  // the first warp that has fewer queries begins
  }
  // Goes on to the next round; false where there is none for the warp.
  __device__ __forceinline__ bool more() {
    query += warps * slots, other += warps;
    return query < queries || other < fresh;
  }

  // Reads what is there before the step's products are.
  __device__ __forceinline__ void begin(const int* cells) {
#pragma unroll
    for (int s = 0; s < slots; s++) {
      int m = query + warps * s;
      if (m >= queries) continue;
      int r = divided(m, a.of_group);
      head[s].name(a.q, room.row[r], blockIdx.x * group + m - r * group);
      if (a.q.norm) head[s].weights(a.q);
    }
    job = other & 1 ? &a.v : &a.k;
    cell = -1;
    if (other >= fresh) return;
    int p = first + (other >> 1);
    head[slots].name(*job, item.fresh_row + p - item.fresh, key_head);
    if (job->norm) head[slots].weights(*job);
    if (p >= room.pos[0] && blockIdx.x == key_head * a.splits) cell = cells[item.cells + p];
  }

  // Puts queries where multiply looks for them, scaled: their low halves 8 rows below the
  // high ones if folded; keys and values where copies would have put them, and those that
  // stand at the item's own rows into their cells.
  __device__ __forceinline__ void end(bool folded) {
#pragma unroll
    for (int s = 0; s < slots; s++)
      if (query + warps * s < queries) head[s].ask(a.q);
    if (other < fresh) head[slots].ask(*job);
    const HeadJob* jobs[slots + 1];
#pragma unroll
    for (int s = 0; s < slots; s++) jobs[s] = &a.q;
    jobs[slots] = job;
    turn(head, jobs);
#pragma unroll
    for (int s = 0; s < slots; s++)
      if (query + warps * s < queries) put_query(head[s], query + warps * s, folded);
    if (other >= fresh) return;
    __half* to = (other & 1 ? room.values : room.keys) + (first + (other >> 1) - base) * (D + 8);
    head[slots].each(*job, [&](float& value, int i) { to[i] = __float2half_rn(value); });
    if (cell >= 0) head[slots].store(*job, cell, key_head);
  }

  __device__ __forceinline__ void put_query(Head<D / 64>& q, int m, bool folded) {
    __half *high = room.q_high + m * (D + 8), *low = folded ? high + 8 * (D + 8) : room.q_low + m * (D + 8);
    q.each(a.q, [&](float& value, int i) {
      high[i] = __float2half_rn(value * a.scale);
      low[i] = __float2half_rn(value * a.scale - __half2float(high[i]));
    });
  }
};
