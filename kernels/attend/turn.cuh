// The heads that come to attention as the products left them.
#pragma once
#include "feed.cuh"

// How many heads a warp's registers hold beside what else they do.
template <int D, int MT> constexpr int heads_at_once = MT > 1 || D > 256 ? 1 : D > 128 ? 2 : 3;

// Some of an item's heads on their way into shared memory: queries, and of the step's own
// keys and values those of the tile at base. A warp takes every fourth, `together` at a
// time: it reads all of them before it works on one, since a trip to memory takes as long
// as the work on several.
template <int D, int MT, int together> struct HeadFeed {
  const AttendArgs& a;
  Room<D, MT>& room;
  const Item& item;
  const int* cells;
  int group, queries, base;
  int first, all;  // the first position whose keys and values are read; how many heads there are
  // Of the heads at hand:
  const HeadJob* job[together];
  Head<D / 64> head[together];
  int cell[together];  // -1: none keeps it

  __device__ __forceinline__ HeadFeed(const AttendArgs& a, Room<D, MT>& room, const Item& item, const int* cells, int queries, int base)
      : a(a), room(room), item(item), cells(cells + item.cells), group(a.group), queries(queries), base(base) {
    first = max(item.fresh, base);
    all = queries + (a.k.x ? 2 * max(0, min(item.to, base + positions) - first) : 0);
  }

  // The position of key or value number w.
  __device__ __forceinline__ int position(int w) const { return first + ((w - queries) >> 1); }

  // Names the heads from number w on and reads what is there before the step's products are.
  __device__ __forceinline__ void name(int w) {
#pragma unroll
    for (int m = 0; m < together; m++, w += 4) {
      job[m] = w < queries || w >= all ? &a.q : (w - queries) & 1 ? &a.v : &a.k;
      cell[m] = -1;
      if (w >= all) continue;
      if (job[m]->norm) head[m].weights(*job[m]);
      if (w >= queries && position(w) >= room.pos[0] && blockIdx.y % a.splits == 0) cell[m] = cells[position(w)];
    }
  }

  // Puts queries where multiply looks for them, scaled: their low halves 8 rows below the
  // high ones if folded; keys and values where copies would have put them, and those that
  // stand at the item's own rows into their cells.
  __device__ __forceinline__ void put(int w, int m, bool folded, int key_head) {
    __half* low = folded ? room.q_high + 8 * (D + 8) : room.q_low;
    if (w < queries) {
      head[m].each(a.q, [&](float& value, int i) {
        if (i >= D) return;
        __half high = __float2half_rn(value * a.scale);
        room.q_high[w * (D + 8) + i] = high;
        low[w * (D + 8) + i] = __float2half_rn(value * a.scale - __half2float(high));
      });
      return;
    }
    __half* to = ((w - queries) & 1 ? room.values : room.keys) + (position(w) - base) * (D + 8);
    head[m].each(*job[m], [&](float& value, int i) {
      if (i < D) to[i] = __float2half_rn(value);
    });
    if (cell[m] >= 0) head[m].store(*job[m], cell[m], key_head);
  }

  // Brings all of them; the first have been named.
  __device__ __forceinline__ void bring(bool folded, int key_head) {
    for (int w = threadIdx.x >> 5;;) {
#pragma unroll
      for (int m = 0; m < together; m++) {
        int at = w + 4 * m;
        if (at >= all) break;
        if (at < queries) head[m].ask(a.q, room.row[at / group], blockIdx.y * group + at % group);
        else head[m].ask(*job[m], item.fresh_row + position(at) - item.fresh, key_head);
      }
      turn(head, job);
#pragma unroll
      for (int m = 0; m < together; m++)
        if (w + 4 * m < all) put(w + 4 * m, m, folded, key_head);
      w += 4 * together;
      if (w >= all) return;
      name(w);
    }
  }
};
