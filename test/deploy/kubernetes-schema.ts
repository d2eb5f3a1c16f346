/** Checks Kubernetes objects against the schemas of its API, without a cluster. */
import {
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';

const KINDS = {
  ConfigMap,
  CronJob,
  Deployment,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  Secret,
  Service,
  ServiceMonitor,
};

/** @returns what is wrong with the object; nothing for a valid one */
export function schemaProblems(object: unknown): readonly string[] {
  const kind = Object.entries(KINDS).find(([name]) => name === Object(object).kind)?.[1];
  if (kind === undefined) return ['unknown kind'];
  const read = new Set<string>();
  try {
    // The validators ignore fields that they do not know, but read all that they do.
    kind.prototype.validate.call(recordReads(object, '', read));
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return paths(object, '')
    .filter((path) => !read.has(path))
    .map((path) => `unknown field ${path}`);
}

/** The value, with the path of each field that is read from it added to `read`. */
function recordReads(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, name) => {
      const inner = `${path}/${String(name)}`;
      read.add(inner);
      return recordReads(Reflect.get(target, name), inner, read);
    },
  });
}

/** The path of every field, at any depth. */
function paths(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}/${name}`,
    ...paths(inner, `${path}/${name}`),
  ]);
}
