/**
 * Returns the `Link` header of an index (RFC 8631).
 * @param version such as `v3`
 */
export const descriptionLink = (baseUrl: string, version: string): string =>
  `<${baseUrl}/openapi/${version}.json>; rel="service-desc"; type="application/json", ` +
  `<${baseUrl}/docs/${version}/>; rel="service-doc"; type="text/html"`
