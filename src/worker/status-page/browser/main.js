/** What the pages do beyond what the server sent: they filter, keep themselves up to date, and draw charts. */
import { watchCalendar } from './calendar.js';
import { drawCharts } from './charts.js';
import { watchFilter } from './filter.js';
import { keepLive } from './live.js';

const { shop = '' } = document.body.dataset;
const applyFilter = watchFilter();
if (shop === '') {
  keepLive(async () => applyFilter());
} else {
  const calendar = watchCalendar();
  const charts = drawCharts();
  const load = async () => {
    const response = await fetch(`./${shop}/data.json`);
    if (!response.ok) return;
    /** @type {import('../shop-data-json.ts').ShopDataJson} */
    const data = await response.json();
    calendar.show(data);
    charts.show(data);
  };
  void load();
  keepLive(load);
}
