export interface RequestLabels {
  route: string;
  method: string;
  status: string;
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A request as the metrics name it: by values of which there are few, none of them chosen by the caller. */
export function labelsOf(request: {
  route: string | undefined;
  method: string;
  status: number;
}): RequestLabels {
  const { route = 'none', method, status } = request;
  return { route, method: methodLabel(method), status: `${Math.floor(status / 100)}xx` };
}

/** What is refused needs no work of its own, so a stranger who tries every route adds no series of durations. */
export function durationLabelsOf({ route, method, status }: RequestLabels): Omit<RequestLabels, 'status'> {
  return { route: status === '4xx' ? 'refused' : route, method };
}

function methodLabel(method: string): string {
  if (method === 'HEAD') return 'GET';
  return methods.has(method) ? method : 'other';
}
