import { expect, test } from 'vitest';

import { brief, withLoadedShop } from './loaded-shop.ts';

test('a shop whose orders stop is told of, and told of no more when the next one comes', async () => {
  await withLoadedShop(async ({ clock, simulator, sweep, told }) => {
    const localNow = () => clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDateTime();
    const silentFor = async (hours: number) => {
      clock.pass({ hours });
      await sweep();
      return (await told()).filter(({ cause }) => cause === 'silent');
    };
    // Twenty a day, of which the newest is an hour old.
    for (let minutes = 60; minutes < 56 * 1440; minutes += 72) {
      simulator.shop.insertOrder({ createdLocal: localNow().subtract({ minutes }) });
    }
    // One that is dated ahead is no sign that orders come.
    simulator.shop.insertOrder({ createdLocal: localNow().add({ days: 30 }) });
    expect(await silentFor(44)).toEqual([]);
    const [note, ...others] = await silentFor(8);
    expect(others).toEqual([]);
    expect(note).toMatchObject({
      event: 'raised',
      text: expect.stringMatching(/has taken no order for 2 d \d h, in which about 4\d are usual/),
    });
    simulator.shop.insertOrder({ createdLocal: localNow().subtract({ minutes: 5 }) });
    expect((await silentFor(0)).map(brief)).toEqual(['silent recovered']);
  });
});
