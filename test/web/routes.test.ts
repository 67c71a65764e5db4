import { describe, expect, test } from '@jest/globals'
import { administrationRoutes } from '../../src/web/administration-routes.ts'
import { accountRoutes, publicRoutes, respondentRoutes } from '../../src/web/routes.ts'
import { surveyRoutes, webhookRoutes } from '../../src/web/survey-routes.ts'

describe('the site map', () => {
  test('has a unique name for every page, which labels it in the metrics', () => {
    const pages: readonly { name: string }[] = [
      ...respondentRoutes.map(([, , page]) => page),
      ...publicRoutes.map(([, , page]) => page),
      ...accountRoutes.map(([, , , page]) => page),
      ...administrationRoutes.map(([, , , page]) => page),
      ...surveyRoutes.map(([, , , page]) => page),
      ...webhookRoutes.map(([, , page]) => page),
    ]
    const names = [...new Set(pages)].map(({ name }) => name)
    expect(names).not.toContain('')
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
