import { z } from 'zod';

export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    operations: z.array(z.string()),
    sources: z.array(z.string()).optional().describe('Absent: those of all.'),
    created_by: z.string(),
    created_at: z.string(),
    last_used_at: z.string().optional().describe('Right to a minute.'),
    revoked_at: z.string().optional(),
  })
  .meta({ id: 'ApiKey' });
