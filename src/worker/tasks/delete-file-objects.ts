import { deleteObjects } from '../../domain/file/object.ts'
import type { Task } from '../task.ts'

export const deleteFileObjects: Task<'delete-file-objects'> = (context, _payload, signal) =>
  deleteObjects(context, signal)
