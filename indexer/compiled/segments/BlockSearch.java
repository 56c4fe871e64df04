package boilersweep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/** Reads much of an index in one call. All numbers are little-endian, of four bytes each. */
public final class BlockSearch {
  private final List<Segment> segments = new ArrayList<>();

  private static ByteBuffer buffer(long bytes) {
    return ByteBuffer.allocate(Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Return the length of each document's value, then all values.
   *
   * <p>A deleted document has length 0, one without a value -1.
   */
  public static byte[] values(LeafReader reader, String field) throws IOException {
    int documents = reader.maxDoc();
    ByteBuffer lengths = buffer(4L * documents);
    byte[] values = new byte[64 * documents];
    int end = 0;
    Bits live = reader.getLiveDocs();
    BinaryDocValues found = reader.getBinaryDocValues(field);
    for (int document = 0; document < documents; document++) {
      if (live != null && !live.get(document)) {
        lengths.putInt(0);
      } else if (found == null || !found.advanceExact(document)) {
        lengths.putInt(-1);
      } else {
        BytesRef value = found.binaryValue();
        if (end + value.length > values.length) {
          values = Arrays.copyOf(values, Math.max(2 * values.length, end + value.length));
        }
        System.arraycopy(value.bytes, value.offset, values, end, value.length);
        end += value.length;
        lengths.putInt(value.length);
      }
    }
    ByteBuffer out = buffer(4L * documents + end);
    return out.put(lengths.array()).put(values, 0, end).array();
  }

  /** A segment, where each document's lines begin, and where each line does in its document. */
  private record Segment(LeafReader reader, int[] firsts, int[] begins) {}

  /**
   * Add the next segment.
   *
   * @param firsts the first line of each document, and the number of all lines
   * @param spans how many positions each line has
   */
  public void add(LeafReader reader, byte[] firsts, byte[] spans) {
    int[] first = numbers(firsts);
    int[] begins = numbers(spans);
    for (int document = 0; document + 1 < first.length; document++) {
      int begin = 0;
      for (int line = first[document]; line < first[document + 1]; line++) {
        int span = begins[line];
        begins[line] = begin;
        begin += span;
      }
    }
    segments.add(new Segment(reader, first, begins));
  }

  private static int[] numbers(byte[] bytes) {
    int[] found = new int[bytes.length / 4];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(found);
    return found;
  }

  /** Return the document of every occurrence of a term, then the line of each. */
  public byte[] occurrences(String field, byte[] term) throws IOException {
    BytesRef wanted = new BytesRef(term);
    TermsEnum[] found = new TermsEnum[segments.size()];
    long occurrences = 0;
    for (int number = 0; number < found.length; number++) {
      Terms terms = segments.get(number).reader.terms(field);
      TermsEnum here = terms == null ? null : terms.iterator();
      if (here != null && here.seekExact(wanted)) {
        found[number] = here;
        occurrences += here.totalTermFreq();
      }
    }
    ByteBuffer out = buffer(8 * occurrences);
    IntBuffer documents = out.asIntBuffer();
    IntBuffer lines = documents.duplicate().position((int) occurrences);
    int document = 0;
    int line = 0;
    for (int number = 0; number < found.length; number++) {
      Segment segment = segments.get(number);
      if (found[number] != null) {
        PostingsEnum postings = found[number].postings(null, PostingsEnum.POSITIONS);
        for (int here; (here = postings.nextDoc()) != PostingsEnum.NO_MORE_DOCS; ) {
          int at = segment.firsts[here];
          int end = segment.firsts[here + 1];
          for (int left = postings.freq(); left > 0 && at < end; left--) {
            at = last(segment.begins, at, end, postings.nextPosition());
            documents.put(document + here);
            lines.put(line + at);
          }
        }
      }
      document += segment.firsts.length - 1;
      line += segment.begins.length;
    }
    int read = documents.position(); // without those of deleted documents
    System.arraycopy(out.array(), Math.toIntExact(4 * occurrences), out.array(), 4 * read, 4 * read);
    return 8L * read == out.capacity() ? out.array() : Arrays.copyOf(out.array(), 8 * read);
  }

  /** Return the last line, of some that begin in this order, that begins at a position or before. */
  private static int last(int[] begins, int line, int end, int position) {
    while (line + 1 < end) {
      int middle = (line + end) >>> 1;
      if (begins[middle] <= position) {
        line = middle;
      } else {
        end = middle;
      }
    }
    return line;
  }

  /**
   * Return the scores of a term's documents, each a float.
   *
   * @param boost how often the query has the term
   * @param documents the number of documents of the collection, and tokens: that of its tokens
   * @param occurrences how often the term occurs
   * @param tf how often each document has the term
   * @param codes of the documents' lengths, a byte each
   */
  public static byte[] scores(
      Similarity similarity,
      float boost,
      long documents,
      long tokens,
      byte[] term,
      long occurrences,
      byte[] tf,
      byte[] codes) {
    Similarity.SimScorer scorer =
        similarity.scorer(
            boost,
            new CollectionStatistics("contents", documents, documents, tokens, documents),
            new TermStatistics(new BytesRef(term), codes.length, occurrences));
    ByteBuffer counts = ByteBuffer.wrap(tf).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer out = buffer(tf.length);
    for (byte code : codes) {
      out.putFloat(scorer.score(counts.getInt(), code));
    }
    return out.array();
  }
}
