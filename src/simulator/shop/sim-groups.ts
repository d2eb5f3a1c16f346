/** The tree of user groups, three levels deep; a child is found only by asking for its parent. */
import { DAY_S, type LocalSeconds, toPlain } from './shop-clock.ts';
import { Random } from './random.ts';

export type SimGroup = {
  readonly oid: number;
  /** 0 at the top. */
  readonly parentOid: number;
  readonly name: string;
  readonly url: string;
  readonly sort: number;
  readonly access: number;
  readonly createdLocal: Temporal.PlainDateTime;
  readonly updatedLocal: Temporal.PlainDateTime;
};

const FIRST_OID = 1001;
const TOP = ['Покупатели', 'Опт', 'Партнёры'];
const MIDDLE = ['Москва и область', 'Регионы', 'Акции'];
/** One folder of a large shop holds more groups than a page of the default size, so that a reader has to page. */
const CROWDED_FOLDER = 'Акции';
const CROWDED_SIZE = 120;

/**
 * @param start local time at which the shop's history begins: the groups are older than that
 * @param isCrowded one folder holds more groups than a page: a reader asks about each of them, which takes time
 */
export function makeGroups(seed: number, start: LocalSeconds, isCrowded: boolean): readonly SimGroup[] {
  const groups: SimGroup[] = [];
  const random = new Random(seed, 'groups');
  const add = (parentOid: number, name: string, sort: number): number => {
    const oid = FIRST_OID + groups.length;
    const created = start - random.between(30, 900) * DAY_S + random.below(DAY_S);
    const [createdLocal, updatedLocal] = [toPlain(created), toPlain(created + random.below(20 * DAY_S))];
    groups.push({
      oid,
      parentOid,
      name,
      url: `group-${oid}`,
      sort,
      access: random.below(4),
      createdLocal,
      updatedLocal,
    });
    return oid;
  };
  for (const [top, topName] of TOP.entries()) {
    const topOid = add(0, topName, top);
    for (const [middle, middleName] of MIDDLE.entries()) {
      const middleOid = add(topOid, `${topName}: ${middleName}`, middle);
      const size = isCrowded && top === 0 && middleName === CROWDED_FOLDER ? CROWDED_SIZE : 2;
      for (let leaf = 0; leaf < size; leaf += 1) add(middleOid, `${middleName} №${leaf + 1}`, leaf);
    }
  }
  return groups;
}

/** The groups without children: users are members of these. */
export function leafGroups(groups: readonly SimGroup[]): readonly SimGroup[] {
  const parents = new Set(groups.map((group) => group.parentOid));
  return groups.filter((group) => !parents.has(group.oid));
}
