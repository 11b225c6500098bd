/** Times for people: how long ago, and when. */
import { describeDuration } from "./duration.ts";

/** "14:03:22 (5m 3s)" for an ISO 8601 time; with the day, where it is another one. `now` in milliseconds since 1970. */
export function sinceText(iso: string, now: number): string {
  return `${clockText(iso, now)} (${describeDuration(Math.max(0, now - Date.parse(iso)))})`;
}

/** Local time of day, with the date in front where that is not today's. */
export function clockText(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  if (time.toDateString() === new Date(now).toDateString()) return clock;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}
