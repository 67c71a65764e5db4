import type { Site } from '../../domain/services.ts'
import type { NamedQuery } from '../../domain/survey/filters.ts'
import type { Schemas } from './operation.ts'
import { responsesUri } from './urls.ts'

export const filterView = (site: Site, surveyId: number, { name, query }: NamedQuery): Schemas['Filter'] => ({
  name,
  query,
  responses_uri: `${responsesUri(site, surveyId)}?filter=${encodeURIComponent(name)}`,
})
