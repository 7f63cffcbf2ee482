/** How a body holds events: one event, a JSON array of events, or one event a line. */
export type EventForm = 'event' | 'batch' | 'lines';

/** The media type of each form, and the most bytes of a body in it, unpacked. */
export const FORMS: Readonly<
  Record<EventForm, { readonly mediaType: string; readonly bytesMax: number }>
> = {
  event: { mediaType: 'application/cloudevents+json', bytesMax: 64 * 1024 },
  batch: { mediaType: 'application/cloudevents-batch+json', bytesMax: 16 * 1024 * 1024 },
  lines: { mediaType: 'application/x-ndjson', bytesMax: 16 * 1024 * 1024 },
};

/** The most events of a request. A full day of a busy table has about as many. */
export const EVENTS_MAX = 50_000;

const REMEMBERED_MAX = 64;
const known = new Map<string, EventForm | undefined>();

/**
 * Returns the form that a Content-Type header names, or undefined for any other media type and for
 * a charset other than UTF-8. Ignores other parameters.
 */
export function formOf(contentType: string | undefined): EventForm | undefined {
  if (contentType === undefined) return undefined;
  if (known.has(contentType)) return known.get(contentType);
  const form = readForm(contentType);
  if (known.size >= REMEMBERED_MAX) known.clear();
  if (contentType.length <= 200) known.set(contentType, form);
  return form;
}

function readForm(contentType: string): EventForm | undefined {
  const [mediaType = '', ...parameters] = contentType
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (
    parameters.some(
      (parameter) =>
        /^charset\s*=/.test(parameter) && !/^charset\s*=\s*("utf-8"|utf-8)$/.test(parameter),
    )
  )
    return undefined;
  return (Object.keys(FORMS) as EventForm[]).find((form) => FORMS[form].mediaType === mediaType);
}
