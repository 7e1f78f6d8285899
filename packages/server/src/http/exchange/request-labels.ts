export interface RequestLabels {
  route: string;
  method: string;
  status: string;
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The labels of a request for the metrics. They have few values, and the caller chooses none of them. */
export function labelsOf(request: {
  route: string | undefined;
  method: string;
  status: number;
}): RequestLabels {
  const { route = 'none', method, status } = request;
  return { route, method: methodLabel(method), status: `${Math.floor(status / 100)}xx` };
}

/** A refusal takes no work of its own, so a stranger who tries every route adds no series of durations. */
export function durationLabelsOf({ route, method, status }: RequestLabels): Omit<RequestLabels, 'status'> {
  return { route: status === '4xx' ? 'refused' : route, method };
}

function methodLabel(method: string): string {
  if (method === 'HEAD') return 'GET';
  return methods.has(method) ? method : 'other';
}
