/** The tree of user groups, three levels deep; children are found only through their parent. */
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
/** One folder of a large shop holds more groups than a page of the default size. */
const CROWDED_FOLDER = 'Акции';
const CROWDED_SIZE = 120;

/**
 * @param start of the shop's history; the groups are older
 * @param isCrowded one folder holds more groups than a page; slow, since a reader asks about each of them
 */
export function makeGroups(seed: number, start: LocalSeconds, isCrowded: boolean): readonly SimGroup[] {
  const groups: SimGroup[] = [];
  const random = new Random(seed, 'groups');
  const add = (parentOid: number, name: string, sort: number): number => {
    const oid = FIRST_OID + groups.length;
    const created = start - random.between(30, 900) * DAY_S + random.below(DAY_S);
    const times = {
      createdLocal: toPlain(created),
      updatedLocal: toPlain(created + random.below(20 * DAY_S)),
    };
    groups.push({ oid, parentOid, name, url: `group-${oid}`, sort, access: random.below(4), ...times });
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

/** The groups without children, which users belong to. */
export function leafGroups(groups: readonly SimGroup[]): readonly SimGroup[] {
  const parents = new Set(groups.map((group) => group.parentOid));
  return groups.filter((group) => !parents.has(group.oid));
}
