import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { objectStore } from './services/provided.ts';

/** The objects of an installation in the S3 of the run, to be changed behind its back. */
export class StoredObjects implements Disposable {
  readonly #client: S3Client;
  readonly #place: (key: string) => { Bucket: string; Key: string };

  constructor(installation: string) {
    const { bucket, endpoint, env } = objectStore();
    this.#client = new S3Client({
      endpoint,
      region: env.AWS_REGION ?? '',
      forcePathStyle: true,
      credentials: {
        accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
        secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
      },
    });
    this.#place = (key) => ({ Bucket: bucket, Key: `${installation}/${key}` });
  }

  async get(key: string): Promise<Uint8Array> {
    const { Body } = await this.#client.send(new GetObjectCommand(this.#place(key)));
    if (Body === undefined) throw new Error(`there is no ${key}`);
    return Body.transformToByteArray();
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#place(key), Body: content }));
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#place(key)));
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}
