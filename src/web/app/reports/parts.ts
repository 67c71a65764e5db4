import type { PageResult } from '../../page.ts'
import { chartFile, dataFile, daysFile } from '../../report/downloads.ts'
import { daysPage, histogramPage } from '../../report/standalone.ts'
import { textsPage } from '../../report/text-answers-page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { readReportRequest } from './frame.ts'

// Pages and downloads that contain one part of a report.

export async function downloadReportData(request: SurveyRequest): Promise<PageResult> {
  return dataFile(await readReportRequest(request))
}

export async function showDays(request: SurveyRequest): Promise<PageResult> {
  return request.render(await daysPage(await readReportRequest(request)))
}

export async function downloadDays(request: SurveyRequest): Promise<PageResult> {
  return daysFile(await readReportRequest(request), request.params.form!)
}

export async function downloadChart(request: SurveyRequest): Promise<PageResult> {
  return chartFile(await readReportRequest(request), request.params.question!, request.params.form!)
}

export async function showHistogram(request: SurveyRequest): Promise<PageResult> {
  return request.render(await histogramPage(await readReportRequest(request), request.params.question!))
}

export async function showTexts(request: SurveyRequest): Promise<PageResult> {
  return request.render(await textsPage(await readReportRequest(request), request.params.key!, request.query))
}
