/** The three forms of an HTTP date: RFC 9110 section 5.6.7. All are in UTC and know whole seconds only. */

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A moment at least this long from now, on a whole second. */
export function secondsAhead(seconds: number): Date {
  return new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000);
}

/** Sun, 06 Nov 1994 08:49:37 GMT */
export const imfFixdate = (at: Date) => at.toUTCString();

/** Sunday, 06-Nov-94 08:49:37 GMT */
export function rfc850Date(at: Date): string {
  const { day, month, year, time } = partsOf(at);
  return `${WEEKDAYS[at.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

/** Sun Nov  6 08:49:37 1994 */
export function asctimeDate(at: Date): string {
  const { weekday, day, month, year, time } = partsOf(at);
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}

function partsOf(at: Date): Readonly<Record<'weekday' | 'day' | 'month' | 'year' | 'time', string>> {
  const [weekday = '', day = '', month = '', year = '', time = ''] = at.toUTCString().split(/,? /);
  return { weekday, day, month, year, time };
}
