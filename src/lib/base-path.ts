/** A path without a slash at its end whose characters no proxy decodes or encodes. */
const PATH = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/

/** Returns whether a path can stand in `BASE_URL`, without slashes at its end. */
export const isBasePath = (path: string): boolean => PATH.test(path)

/** Returns the path of a base URL, such as `/feedback`; empty if the service has the whole host. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

/**
 * The first segments of the addresses of the service, without the base path. If the base path begins with one of them, a
 * request from which a proxy has removed the base path can look like one from which it has not.
 */
export const FIRST_SEGMENTS: ReadonlySet<string> = new Set([
  '.well-known',
  'account',
  'accounts',
  'api',
  'assets',
  'dev',
  'docs',
  'embed',
  'healthz',
  'images',
  'logos',
  'metrics',
  'notifications',
  'openapi',
  'preview',
  'readyz',
  'reports',
  's',
  'surveys',
  'themes',
  'unsubscribe',
])

/** Returns whether every proxy has to pass the base path on. */
export const mustBePassedOn = (basePath: string): boolean => FIRST_SEGMENTS.has(basePath.split('/')[1] ?? '')
