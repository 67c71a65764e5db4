import type { NamedQuery } from '../../domain/response/filter/saved-filters.ts'
import type { Services } from '../../domain/services.ts'
import type { Schemas } from './operation.ts'
import { responsesUri } from './urls.ts'

export const filterView = (services: Services, surveyId: number, { name, query }: NamedQuery): Schemas['Filter'] => ({
  name,
  query,
  responses_uri: `${responsesUri(services, surveyId)}?filter=${encodeURIComponent(name)}`,
})
