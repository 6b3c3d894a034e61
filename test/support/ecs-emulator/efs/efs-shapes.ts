import { z } from 'zod';

// As in the API reference of EFS, strict throughout: a member that is not here is refused by name.

const id = z.int().min(0).max(4_294_967_295);

const Tag = z.strictObject({
  Key: z.string().regex(/^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/iu, 'is no key of a tag'),
  Value: z.string().regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u, 'is no value of a tag'),
});

const Tags = z
  .array(Tag)
  .max(50, 'has more than 50 tags')
  .refine((tags) => new Set(tags.map(({ Key }) => Key)).size === tags.length, 'has a key twice')
  .default([]);

const FileSystemId = z.string().regex(/^fs-[0-9a-f]{8,40}$/, 'is no id of a file system');
const AccessPointId = z.string().regex(/^fsap-[0-9a-f]{8,40}$/, 'is no id of an access point');

export const CreateAccessPointRequest = z.strictObject({
  ClientToken: z.string().regex(/^[\x21-\x7e]{1,64}$/, 'has up to 64 ASCII characters'),
  FileSystemId,
  PosixUser: z.strictObject({ Uid: id, Gid: id, SecondaryGids: z.array(id).max(16).optional() }).optional(),
  RootDirectory: z
    .strictObject({
      Path: z
        .string()
        .max(100)
        .regex(/^(\/|(\/(?!\.)[^$#<>;`|&?{}^*/\n]+){1,4})$/, 'has up to four folders')
        .default('/'),
      CreationInfo: z
        .strictObject({
          OwnerUid: id,
          OwnerGid: id,
          Permissions: z.string().regex(/^[0-7]{3,4}$/, 'are three or four octal digits'),
        })
        .optional(),
    })
    .default({ Path: '/' }),
  Tags,
});
export type CreateAccessPointRequest = z.infer<typeof CreateAccessPointRequest>;

/** What comes in an address is text. */
export const DescribeAccessPointsRequest = z
  .strictObject({
    AccessPointId: AccessPointId.optional(),
    FileSystemId: FileSystemId.optional(),
    MaxResults: z.coerce.number().int().min(1).max(100, 'is not emulated above 100').default(100),
    NextToken: z.string().optional(),
  })
  .refine(
    ({ AccessPointId: point, FileSystemId: files }) => point === undefined || files === undefined,
    'wants the id of a file system or of an access point, not of both',
  );

export const DeleteAccessPointRequest = z.strictObject({ AccessPointId });
