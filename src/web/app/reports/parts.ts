import type { PageResult } from '../../page.ts'
import { chartPart, daysPart, numbersPart } from '../../report/downloads.ts'
import { daysPage, spreadPage } from '../../report/standalone.ts'
import { textsPage } from '../../report/texts.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { lookAt } from './display-options.ts'

// Parts of a report with addresses of their own.

export async function downloadNumbers(request: SurveyRequest): Promise<PageResult> {
  return numbersPart(await lookAt(request))
}

export async function showDays(request: SurveyRequest): Promise<PageResult> {
  return request.render(await daysPage(await lookAt(request)))
}

export async function downloadDays(request: SurveyRequest): Promise<PageResult> {
  return daysPart(await lookAt(request), request.params.form!)
}

export async function downloadChart(request: SurveyRequest): Promise<PageResult> {
  return chartPart(await lookAt(request), request.params.question!, request.params.form!)
}

export async function showSpread(request: SurveyRequest): Promise<PageResult> {
  return request.render(await spreadPage(await lookAt(request), request.params.question!))
}

export async function showTexts(request: SurveyRequest): Promise<PageResult> {
  return request.render(await textsPage(await lookAt(request), request.params.key!, request.query))
}
