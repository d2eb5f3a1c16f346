import { CHART_ROWS, type Chart, CHARTS } from './superset-charts.ts';

/** The dashboard: its grid, and filters that all charts obey whose views have the column. */
export function renderDashboard(uuidOf: (name: string) => string) {
  return {
    dashboard_title: 'Sales',
    description: 'Sales, customers and open orders of a shop, in one currency.',
    css: '',
    slug: 'order-sync-sales',
    uuid: uuidOf('dashboard sales'),
    position: position(uuidOf),
    metadata: {
      native_filter_configuration: [choice('shop', uuidOf), choice('currency', uuidOf), period()],
      cross_filters_enabled: true,
      color_scheme: 'supersetColors',
      timed_refresh_immune_slices: [],
      expanded_slices: {},
      refresh_frequency: 0,
    },
  };
}

const SCOPE = { rootPath: ['ROOT_ID'], excluded: [] };

/** One value at a time, the one with the most sales first: amounts of several currencies are never added up. */
function choice(column: string, uuidOf: (name: string) => string) {
  return {
    id: `NATIVE_FILTER-${column}`,
    name: column.charAt(0).toUpperCase() + column.slice(1),
    filterType: 'filter_select',
    type: 'NATIVE_FILTER',
    description: '',
    targets: [{ column: { name: column }, datasetUuid: uuidOf('bi.daily_sales') }],
    controlValues: {
      multiSelect: false,
      enableEmptyFilter: true,
      defaultToFirstItem: true,
      inverseSelection: false,
      searchAllOptions: false,
      sortAscending: false,
    },
    sortMetric: 'orders',
    // Charts wait for it: without this, the first look would add up all currencies.
    requiredFirst: true,
    defaultDataMask: { extraFormData: {}, filterState: {}, ownState: {} },
    cascadeParentIds: [],
    scope: SCOPE,
  };
}

function period() {
  return {
    id: 'NATIVE_FILTER-period',
    name: 'Period',
    filterType: 'filter_time',
    type: 'NATIVE_FILTER',
    description: 'Days in the calendar of the shop.',
    targets: [{}],
    controlValues: { enableEmptyFilter: false },
    defaultDataMask: { extraFormData: {}, filterState: {}, ownState: {} },
    cascadeParentIds: [],
    scope: SCOPE,
  };
}

function position(uuidOf: (name: string) => string): Readonly<Record<string, unknown>> {
  const rows = CHART_ROWS.map((_, at) => `ROW-${at + 1}`);
  const idOf = (chart: Chart) => `CHART-${CHARTS.indexOf(chart) + 1}`;
  const rowEntries = CHART_ROWS.map((charts, at) => [
    `ROW-${at + 1}`,
    {
      type: 'ROW',
      id: `ROW-${at + 1}`,
      children: charts.map(idOf),
      parents: ['ROOT_ID', 'GRID_ID'],
      meta: { background: 'BACKGROUND_TRANSPARENT' },
    },
  ]);
  const chartEntries = CHART_ROWS.flatMap((charts, at) =>
    charts.map((chart) => [
      idOf(chart),
      {
        type: 'CHART',
        id: idOf(chart),
        children: [],
        parents: ['ROOT_ID', 'GRID_ID', `ROW-${at + 1}`],
        meta: {
          chartId: CHARTS.indexOf(chart) + 1,
          uuid: uuidOf(`chart ${chart.name}`),
          sliceName: chart.name,
          width: chart.width,
          height: chart.height,
        },
      },
    ]),
  );
  return {
    DASHBOARD_VERSION_KEY: 'v2',
    ROOT_ID: { type: 'ROOT', id: 'ROOT_ID', children: ['GRID_ID'] },
    GRID_ID: { type: 'GRID', id: 'GRID_ID', children: rows, parents: ['ROOT_ID'] },
    HEADER_ID: { type: 'HEADER', id: 'HEADER_ID', meta: { text: 'Sales' } },
    ...Object.fromEntries([...rowEntries, ...chartEntries]),
  };
}
