/** The parts of the public URL of a survey. They never change, so that printed URLs stay valid. */
export interface SurveyLocation {
  username: string
  slug: string
}

/**
 * Returns the public URL of a survey, `/surveys/<username>/<slug>/` (docs/specification.md 1.4).
 * @param collector the id of the collector; undefined: the default collector
 */
export function surveyUrl(baseUrl: string, { username, slug }: SurveyLocation, collector?: number | undefined): string {
  const url = `${baseUrl}/surveys/${encodeURIComponent(username)}/${encodeURIComponent(slug)}/`
  return collector === undefined ? url : `${url}?collector=${collector}`
}

/** Returns the short link of a survey; its public URL if it has no short code. */
export const shortUrl = (
  baseUrl: string,
  { shortCode, slug, creator }: { shortCode: string | null; slug: string; creator: { username: string } },
): string =>
  shortCode === null ? surveyUrl(baseUrl, { username: creator.username, slug }) : `${baseUrl}/s/${shortCode}`

/** Returns the URLs of the owner's pages of a survey. */
export function ownerPageUrls(baseUrl: string, id: number): { edit: string; responses: string; reports: string } {
  const root = `${baseUrl}/account/surveys/${id}/`
  return { edit: `${root}edit/`, responses: `${root}responses/`, reports: `${root}reports/` }
}

/** Returns the URL of a report. */
export const reportUrl = (baseUrl: string, surveyId: number, id: number): string =>
  `${ownerPageUrls(baseUrl, surveyId).reports}${id}/`

/** Returns the address of a file in an answer, for programs. It requires credentials. */
export const fileUri = (baseUrl: string, surveyId: number, responseId: number, key: string): string =>
  `${baseUrl}/api/v3/surveys/${surveyId}/responses/${responseId}/files/${key}/`

/**
 * Returns the address of the page from which people who are signed in download a file. The caller appends the key of
 * the file.
 */
export const filePagePath = (surveyId: number): string => `/account/surveys/${surveyId}/files/`
