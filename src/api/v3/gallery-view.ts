import type { Services } from '../../domain/services.ts'
import type { ConvertedForm } from '../../domain/structure/xlsform/read.ts'
import type { GalleryTemplate } from '../../domain/survey/gallery/gallery.ts'
import type { Schemas } from './operation.ts'
import { galleryTemplateUri } from './urls.ts'

/** Shows a template of the gallery as lists contain it. */
export const galleryTemplateSummaryView = (
  services: Services,
  { id, name, description, category, languages, questions }: GalleryTemplate,
): Schemas['GalleryTemplateSummary'] => ({
  id,
  name,
  description,
  category,
  languages: [...languages],
  number_of_questions: questions,
  gallery_template_uri: galleryTemplateUri(services, id),
})

/** Shows a template of the gallery with its structure. */
export const galleryTemplateView = (services: Services, template: GalleryTemplate): Schemas['GalleryTemplate'] => ({
  ...galleryTemplateSummaryView(services, template),
  structure: template.structure,
})

/** Shows the result of converting an XLSForm. */
export const convertedFormView = ({ structure, issues }: ConvertedForm): Schemas['ConvertedXlsform'] => ({
  structure,
  issues: issues.map(({ code, sheet, row, column, value, message }) => ({ code, sheet, row, column, value, message })),
})
