/** Users and groups as the API shows them. */
import type { Dialect } from './dialect.ts';
import type { SimGroup } from '../shop/sim-groups.ts';
import { isoSeconds } from '../shop/shop-clock.ts';
import type { SimUser } from '../shop/sim-users.ts';
import { type WireRecord, type WireValue, wireValues } from './wire-values.ts';

/** The administrator owns every object. */
const OWNER_OID = 3;

export function wireGroup(group: SimGroup, dialect: Dialect): WireRecord {
  const { whole, text } = wireValues(dialect);
  return {
    oid: whole(group.oid),
    name: text(group.name),
    url: text(group.url),
    type: text('user_group'),
    template: whole(0),
    visible: whole(1),
    parent_oid: whole(group.parentOid),
    sort: whole(group.sort),
    master_oid: whole(OWNER_OID),
    access: whole(group.access),
    updated: isoSeconds(group.updatedLocal),
    created: isoSeconds(group.createdLocal),
  };
}

export function wireUser(user: SimUser, dialect: Dialect): WireRecord {
  const { whole, text } = wireValues(dialect);
  return {
    oid: whole(user.oid),
    name: text(user.fio),
    url: text(`user-${user.oid}`),
    type: text('user'),
    template: whole(0),
    visible: whole(1),
    parent_oid: whole(user.groupOid),
    sort: whole(0),
    master_oid: whole(OWNER_OID),
    access: whole(0),
    updated: isoSeconds(user.updatedLocal),
    created: isoSeconds(user.createdLocal),
    content: wireContent(user, dialect),
  };
}

function wireContent(user: SimUser, dialect: Dialect): WireValue {
  if (!user.hasContent) return dialect.emptyUserContent === 'array' ? [] : {};
  const { whole, text } = wireValues(dialect);
  const image = (name: string): WireRecord => ({
    thumb: `/thumb/2/${name}`,
    path: `/d/${name}`,
    length: whole(20_000 + name.length),
    width: whole(200),
    height: whole(200),
    name,
  });
  return {
    address: text(user.address),
    email: text(user.email),
    gender: user.gender,
    images: user.images.map(image),
    level: whole(user.level),
    login: user.login,
    name: text(user.fio),
    org_name: text(user.orgName),
    phone: text(user.phone),
  };
}
