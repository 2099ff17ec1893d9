import { Component, h } from 'preact';
import type { Media } from '../core/content.ts';
import type { Texts } from './config.ts';
import { FileIcon } from './icons.tsx';
import { Link } from './markdown.tsx';

interface MediaProps {
  media: Media;
  texts: Texts;
}

/** An image, a recording, a film, or a file to fetch. What can not be played or loaded becomes a file. */
export class MediaView extends Component<MediaProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  override render() {
    const { media, texts } = this.props;
    const { url, name } = media;
    const label = name || texts.file;
    const onError = () => this.setState({ isBroken: true });
    const playing = { src: url, 'aria-label': label, controls: true, preload: 'metadata', onError } as const;
    switch (this.state.isBroken ? 'file' : media.kind) {
      case 'image':
        return (
          <Link href={url} class="image">
            <img src={url} alt={label} loading="lazy" referrerpolicy="no-referrer" onError={onError} />
          </Link>
        );
      case 'video':
        return <video class="video" {...playing} />;
      case 'audio':
        return <audio class="audio" {...playing} />;
      default:
        return (
          <Link href={url} class="file">
            <FileIcon />
            <span>{name || new URL(url).pathname.split('/').at(-1) || texts.file}</span>
          </Link>
        );
    }
  }
}
