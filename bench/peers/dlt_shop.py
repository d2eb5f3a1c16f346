"""The same shop by dlt: list by offset, contents and users in parallel, merged into PostgreSQL."""

import json
import os
import resource

import dlt
from dlt.sources.helpers import requests

BASE = os.environ["SHOP_URL"] + "/adm/api"
AUTH = (os.environ["SHOP_LOGIN"], os.environ["SHOP_API_KEY"])
LIMIT = 500
session = requests.Client(raise_for_status=False).session


def get(path):
    response = session.get(f"{BASE}/{path}", auth=AUTH, headers={"content-type": "application/json"})
    # Deleted since it was listed.
    if response.status_code == 404:
        return {"ordercontent": []}
    response.raise_for_status()
    return response.json()


@dlt.resource(primary_key="order_id", write_disposition="merge")
def orders():
    start = 0
    while True:
        page = get(f"orders?start={start}&limit={LIMIT}")["orders"]
        yield page
        if len(page) < LIMIT:
            return
        start += LIMIT


@dlt.transformer(data_from=orders, primary_key=("order_id", "line_no"), write_disposition="merge")
def lines(page):
    @dlt.defer
    def of(order_id):
        content = get(f"orders/{order_id}")["ordercontent"]
        return [{**line, "order_id": order_id, "line_no": number} for number, line in enumerate(content)]

    for order in page:
        yield of(order["order_id"])


seen = set()


@dlt.transformer(data_from=orders, primary_key="oid", write_disposition="merge")
def users(page):
    @dlt.defer
    def of(user_id):
        return {**get(f"users/{user_id}"), "oid": user_id}

    for order in page:
        buyer = str(order.get("master_oid") or "")
        if buyer not in ("", "6") and buyer not in seen:
            seen.add(buyer)
            yield of(buyer)


pipeline = dlt.pipeline("shop", destination=dlt.destinations.postgres(os.environ["DATABASE_URL"]), dataset_name="shop")
pipeline.run([orders, lines, users])

# What the process used, and those that it started.
usages = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
with open(os.environ["ORDER_SYNC_USAGE"], "w", encoding="utf-8") as file:
    cpu_ms = sum(usage.ru_utime + usage.ru_stime for usage in usages) * 1000
    json.dump({"cpuMs": cpu_ms, "peakBytes": max(usage.ru_maxrss for usage in usages) * 1024}, file)
