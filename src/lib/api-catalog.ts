/** The path of the catalogue (RFC 9727). */
export const API_CATALOG = '/.well-known/api-catalog'

const description = (baseUrl: string, name: string) => ({
  'service-desc': [{ href: `${baseUrl}/openapi/${name}.json`, type: 'application/json' }],
  'service-doc': [{ href: `${baseUrl}/docs/${name}/`, type: 'text/html' }],
})

/**
 * Returns the catalogue of the APIs of this service (RFC 9727) as a set of links (RFC 9264).
 * @param versions such as `v3`
 */
export function apiCatalog(baseUrl: string, versions: readonly string[]) {
  const apis = versions.map((version) => ({
    anchor: `${baseUrl}/api/${version}/`,
    ...description(baseUrl, version),
  }))
  const oauth = {
    anchor: `${baseUrl}/accounts/oauth/token/`,
    ...description(baseUrl, 'oauth'),
    'service-meta': [{ href: `${baseUrl}/.well-known/oauth-authorization-server`, type: 'application/json' }],
  }
  const linkset = [...apis, oauth]
  const item = linkset.map(({ anchor }) => ({ href: anchor }))
  return { linkset: [{ anchor: baseUrl + API_CATALOG, item }, ...linkset] }
}
